"""One scripted list of moves, what ``palaestra.Env`` makes of it, and what of a trajectory must be equal."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palaestra import Client, Completion, Env, Verdict
from palaestra.completion import ToolCall
from palaestra.records import Message

SERVER, KEY = os.environ["PALAESTRA_SERVER"], os.environ["PALAESTRA_KEY"]
BENCHMARK, TASK_KEY, GOLD = "gsm8k", "starter-1", "162"
SEED = 7
# A page whose form is open and on which nothing comes by itself: the moves meet it at any speed.
OPENING: dict[str, Any] = {"presentation": {"form": "below", "pop_ups": "none", "slow": "never"}}
# What is another one's in every episode: numbers of rows, clocks, and what a framework knows of its model.
PASSING = {
    *("id", "run", "group", "sample_index", "model", "behaviour", "page", "seq"),
    *("started_at", "recorded_at", "opened_at", "finished_at", "closed_at", "received_at", "created_at"),
    *("duration_ms", "env_ms", "model_ms", "latency_ms", "at_ms", "close_detail", "virtual_start"),
    *("usage", "sampling", "finish_reason", "prompt_sha256", "tokens_blob", "policy_version"),
}
# The page's own report, and what follows from it, come when they come.
REPORTED = {"page_events", "no_ui_evidence", "said_done"}


@dataclass(frozen=True)
class Move:
    """A thought and an action; a role in angle brackets stands for the id of the element that has it."""

    thought: str
    action: dict[str, Any] | None


UNREADABLE = Move("I say what I would do, and do nothing.", None)
ASTRAY = Move("I click something that is not there.", {"type": "click", "target": "e99"})


def answering(answer: str) -> list[Move]:
    return [
        Move(f"It must be {answer}.", {"type": "type", "target": "<textbox>", "text": answer}),
        Move("So I hand it in.", {"type": "click", "target": "<button>"}),
    ]


RIGHT = [UNREADABLE, ASTRAY, *answering(GOLD)]
WRONG = answering("161")
GIVEN_UP = [ASTRAY, Move("I give up.", {"type": "give_up"})]
SCRIPTS = {"right": RIGHT, "wrong": WRONG, "given_up": GIVEN_UP}
OUTCOMES = {"right": ("correct", 1.0), "wrong": ("incorrect", 0.0), "given_up": ("incorrect", 0.0)}


def resolved(move: Move, shown: str) -> Move:
    """The move with the ids of the page that is shown."""

    def id_of(value: Any) -> Any:
        if not isinstance(value, str) or not value.startswith("<"):
            return value
        match = re.search(rf"\[(e\d+)\] {value.strip('<>')}\b", shown)
        assert match, f"no {value} in: {shown}"
        return match[1]

    return move if move.action is None else Move(move.thought, {k: id_of(v) for k, v in move.action.items()})


def text_of(move: Move) -> str:
    """The move as a completion of the grammar ``json``."""
    return move.thought if move.action is None else f"{move.thought}\nAction: {json.dumps(move.action)}"


def call_of(move: Move) -> Completion:
    """The move as a completion of the grammar ``functions``."""
    fields = dict(move.action or {})
    name = fields.pop("type")
    return Completion(text=move.thought, tool_calls=(ToolCall(name=name, arguments=json.dumps(fields)),))


@dataclass
class Played:
    """``texts`` are the completions, ``messages`` the conversation before each of them."""

    trajectory: dict[str, Any]
    verdict: Verdict
    texts: list[str] = field(default_factory=list)
    messages: list[list[Message]] = field(default_factory=list)


@dataclass(frozen=True)
class Scene:
    """A run of its own, and the task that every door plays."""

    run: int
    task: int

    @property
    def env(self) -> dict[str, Any]:
        """The keywords that a door hands to ``Env``."""
        return {"server": SERVER, "key": KEY, "run": self.run, **OPENING}


async def scene_make(name: str, *, grammar: str = "json") -> Scene:
    async with Client(SERVER, KEY) as client:
        run = await client.run_create(name=name, kind="eval", observation="axtree-v2", grammar=grammar)
        tasks = await client.tasks(benchmark=BENCHMARK, limit=100)
        return Scene(run.id, next(task.id for task in tasks if task.key == TASK_KEY))


async def play(moves: Sequence[Move], *, grammar: str = "json") -> Played:
    """The moves through ``palaestra.Env`` itself: what every door is compared with."""
    scene = await scene_make("doors: the client itself", grammar=grammar)
    async with Env(**scene.env, grammar=grammar) as env:
        shown = await env.reset(scene.task, seed=SEED)
        texts, messages, info = [], [], None
        for move in moves:
            made = resolved(move, shown.text)
            messages.append(await env.client.messages_inline(shown.messages))
            texts.append(text_of(made))
            shown, _, _, _, info = await env.step(texts[-1] if grammar == "json" else call_of(made))
        assert info is not None
        return Played(*await recorded(info["episode"]), texts=texts, messages=messages)


async def recorded(episode: int) -> tuple[dict[str, Any], Verdict]:
    """The record of an episode without what is passing, and its verdict."""
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


async def episodes_of(run: int) -> list[Any]:
    """The episodes of a run, in the order of their opening."""
    async with Client(SERVER, KEY) as client:
        return sorted((await client.episodes_page(run=run)).results, key=lambda state: state.id)


def same(door: tuple[dict[str, Any], Verdict], reference: Played) -> None:
    """Fails where a door's record or verdict is another one than the client's own."""
    trajectory, verdict = door
    assert trajectory == reference.trajectory
    for name in ("outcome", "reward", "reason", "terminated", "truncated", "score"):
        assert getattr(verdict, name) == getattr(reference.verdict, name)


def example_run(name: str) -> str:
    """What the example of a door prints."""
    path = Path(__file__).resolve().parents[3] / "examples" / "doors" / f"{name}_door.py"
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
