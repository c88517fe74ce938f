"""Scripted moves, how ``palaestra.Env`` plays them, and which parts of a trajectory must be equal."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palaestra import Client, Completion, Env, Verdict
from palaestra.completion import ToolCall
from palaestra.records import Message
from palaestra.records.rewards import Rewards

SERVER, KEY = os.environ["PALAESTRA_SERVER"], os.environ["PALAESTRA_KEY"]
BENCHMARK, TASK_KEY, GOLD = "gsm8k", "starter-1", "162"
STAY = "missing_amenities/5cf79c92e02dafe50a08"
SEED = 7
# A look whose form is open and in which nothing appears by itself, so the moves work at any speed.
OPENING: dict[str, Any] = {"presentation": {"form": "below", "pop_ups": "none", "slow": "never"}}
# Fields that differ in every episode: row ids, times, and what a framework knows about its model.
PASSING = {
    *("id", "run", "group", "sample_index", "model", "behaviour", "page", "seq"),
    *("started_at", "recorded_at", "opened_at", "finished_at", "closed_at", "received_at", "created_at"),
    *("duration_ms", "env_ms", "model_ms", "latency_ms", "at_ms", "close_detail", "virtual_start"),
    *("usage", "sampling", "finish_reason", "prompt_sha256", "tokens_blob", "policy_version"),
}
OUTLINED = re.compile(r'\[(e\d+)\] (\w+)(?: "([^"\n]*)")?')
# The page's own report, and everything that depends on it, may arrive at any time.
REPORTED = {"page_events", "no_ui_evidence", "said_done"}


@dataclass(frozen=True)
class Move:
    """A thought and an action. A value in angle brackets is an element, whose id ``element`` finds."""

    thought: str
    action: dict[str, Any] | None


@dataclass(frozen=True)
class Script:
    """Moves on a task of the starter pack, and the outcome and reward that they earn."""

    moves: list[Move]
    outcome: str
    benchmark: str = BENCHMARK
    task_key: str = TASK_KEY

    @property
    def reward(self) -> float:
        return float(self.outcome == "correct")


UNREADABLE = Move("I say what I would do, and do nothing.", None)
ASTRAY = Move("I click something that is not there.", {"type": "click", "target": "e99"})


def typing(text: str, target: str) -> Move:
    return Move(f"Here belongs {text}.", {"type": "type", "target": target, "text": text})


def clicking(target: str) -> Move:
    return Move("This one comes next.", {"type": "click", "target": target})


def answering(answer: str) -> list[Move]:
    return [typing(answer, "<textbox>"), clicking("<button>")]


PROFILE = {
    "name": "doors",
    "combination": "sum",
    "shape": "at_end",
    "terms": [{"component": "outcome"}, {"component": "syntax", "weight": 0.25}],
}

# Over the pages of a site, whose second and third button open calendars.
ON_A_SITE = [
    Move("One guest.", {"type": "select", "target": "<combobox 2>", "value": "1 guest"}),
    typing("Pension Moreau", "<textbox 5>"),
    clicking("<button 4>"),
    clicking("<link Pension Moreau>"),
    ASTRAY,
    Move("Back to what was found.", {"type": "back"}),
    clicking("<summary>"),
    typing("Cot", "<textbox 1>"),
    typing("R-9807", "<textbox 2>"),
    clicking("<button 1>"),
]
SCRIPTS = {
    "right": Script([UNREADABLE, ASTRAY, *answering(GOLD)], "correct"),
    "wrong": Script(answering("161"), "incorrect"),
    "given_up": Script([ASTRAY, Move("I give up.", {"type": "give_up"})], "incorrect"),
    "choice": Script([clicking("<radio 12 times>"), clicking("<button>")], "correct", "mmlu"),
    "site": Script(ON_A_SITE, "correct", "stays", STAY),
}


def element(place: str, elements: Iterable[tuple[str, str, str]]) -> str:
    """Find the id of an element among ``elements``, given as (role, name, id).

    ``<link 2>`` is the second link, ``<link Home>`` the first link whose name ends with "Home", and
    ``<link>`` the first link.
    """
    role, _, which = place.strip("<>").partition(" ")
    those = [(name, identity) for one, name, identity in elements if one == role]
    if not which or which.isdigit():
        return those[int(which or 1) - 1][1]
    return next(identity for name, identity in those if name.endswith(which))


def resolved(move: Move, shown: str) -> Move:
    """Return the move with the ids of the page that is shown."""
    elements = [(role, name, identity) for identity, role, name in OUTLINED.findall(shown)]

    def id_of(value: Any) -> Any:
        return element(value, elements) if isinstance(value, str) and value.startswith("<") else value

    return move if move.action is None else Move(move.thought, {k: id_of(v) for k, v in move.action.items()})


def text_of(move: Move) -> str:
    """Return the move as a completion in the grammar ``json``."""
    return move.thought if move.action is None else f"{move.thought}\nAction: {json.dumps(move.action)}"


def call_of(move: Move) -> Completion:
    """Return the move as a completion in the grammar ``functions``."""
    fields = dict(move.action or {})
    name = fields.pop("type")
    return Completion(text=move.thought, tool_calls=(ToolCall(name=name, arguments=json.dumps(fields)),))


@dataclass
class Played:
    """A played script. ``texts`` are its completions, ``messages`` the conversation before each of them."""

    script: Script
    trajectory: dict[str, Any]
    verdict: Verdict
    texts: list[str] = field(default_factory=list)
    messages: list[list[Message]] = field(default_factory=list)


@dataclass(frozen=True)
class Scene:
    """A run for one test, and the task that every door plays."""

    run: int
    task: int

    @property
    def env(self) -> dict[str, Any]:
        """The keywords that a door passes to ``Env``."""
        return {"server": SERVER, "key": KEY, "run": self.run, **OPENING}


async def scene_make(
    name: str, *, script: Script = SCRIPTS["right"], grammar: str = "json", **settings: Any
) -> Scene:
    """Create a run with these ``settings``, and return it with the script's task."""
    form = {"observation": "axtree-v2", "grammar": grammar}
    async with Client(SERVER, KEY) as client:
        run = await client.run_create(name=name, kind="eval", settings=settings, **form)
        tasks = await client.tasks(benchmark=script.benchmark, limit=100)
        return Scene(run.id, next(task.id for task in tasks if task.key == script.task_key))


async def play(script: Script, *, grammar: str = "json") -> Played:
    """Play the script through ``palaestra.Env`` itself, with which every door is compared."""
    scene = await scene_make("doors: the client itself", script=script, grammar=grammar)
    async with Env(**scene.env, grammar=grammar) as env:
        shown = await env.reset(scene.task, seed=SEED)
        texts, messages, info = [], [], None
        for move in script.moves:
            made = resolved(move, shown.text)
            messages.append(await env.client.messages_inline(shown.messages))
            texts.append(text_of(made))
            shown, _, _, _, info = await env.step(texts[-1] if grammar == "json" else call_of(made))
        assert info is not None
        trajectory, verdict = await recorded(info["episode"])
    assert (verdict.outcome, verdict.reward) == (script.outcome, script.reward)
    return Played(script, trajectory, verdict, texts, messages)


async def recorded(episode: int) -> tuple[dict[str, Any], Verdict]:
    """Return an episode's record, without the fields that always differ, and its verdict."""
    async with Client(SERVER, KEY) as client:
        trajectory = await client.trajectory(episode)
        verdict = (await client.episode(episode)).verdict
    assert verdict is not None, trajectory
    return stripped(trajectory), verdict


def stripped(value: Any) -> Any:
    if isinstance(value, list):
        return [stripped(part) for part in value]
    if isinstance(value, dict):
        return {name: stripped(part) for name, part in value.items() if name not in PASSING | REPORTED}
    return value


async def profile_stored() -> str:
    """Store a profile that pays for more than the outcome, so that it never pays a verdict's reward."""
    async with Client(SERVER, KEY) as client:
        return (await client.reward_profile_store(PROFILE)).reference


async def paid(episode: int, profile: str) -> Rewards:
    """Return the payment for an episode according to the server."""
    async with Client(SERVER, KEY) as client:
        return await client.episode_rewards(episode, profile=profile)


async def episodes_of(run: int) -> list[Any]:
    """Return a run's episodes in the order in which they were opened."""
    async with Client(SERVER, KEY) as client:
        return sorted((await client.episodes_page(run=run)).results, key=lambda state: state.id)


def same(door: tuple[dict[str, Any], Verdict], reference: Played) -> None:
    """Assert that a door's record and verdict equal the client's own."""
    trajectory, verdict = door
    assert trajectory == reference.trajectory
    for name in ("outcome", "reward", "reason", "terminated", "truncated", "score"):
        assert getattr(verdict, name) == getattr(reference.verdict, name)


def example_run(name: str) -> str:
    """Run the example of a door and return its output."""
    path = Path(__file__).resolve().parents[3] / "examples" / "doors" / f"{name}_door.py"
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
