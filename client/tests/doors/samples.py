"""The episodes for the table of doors, which compares what each framework's own object contains afterwards.

Every door plays each ``Sample``, compares what it was given with the payment according to the server, and
notes it; ``python -m tests.doors`` prints all notes as a table.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from script import (
    ASTRAY,
    KEY,
    OPENING,
    SEED,
    SERVER,
    STAY,
    Move,
    Scene,
    Script,
    answering,
    clicking,
    episodes_of,
    paid,
    resolved,
    scene_make,
    text_of,
    typing,
)

from palaestra import Client, Env
from palaestra.doors.loop_thread import run_blocking
from palaestra.records.rewards import Numbers, Rewards

TABLE = os.environ.get("PALAESTRA_DOORS_TABLE", "")
ONE_TOOL = "one_tool/7e38c69c00612cd99554"
PACKAGES = {
    "Gymnasium": "gymnasium",
    "MCP": "mcp",
    "Inspect": "inspect-ai",
    "OpenEnv": "openenv",
    "verifiers": "verifiers",
    "TRL": "trl",
    "verl": "verl",
    "BrowserGym": "browsergym-core",
    "NeMo Gym": "nemo-gym",
}
# A judge of the installation whose endpoint does not exist, so its grades never arrive.
JUDGE = "judge/unreachable"
VERDICT = "outcome-v1"
PARTS = (
    *("outcome", "syntax", "executed", "repeated", "navigation", "form", JUDGE),
    *("needed", "called", "selection", "arguments", "redundant", "call_results"),
    *("milestone/opened_right_listing", "milestone/opened_amenities"),
)
# Payments need no browser, and without one there are no late reports about what happened on the pages.
LITE = {"browser": "lite"}

# The handbook contains nothing about the search words, and a place is mistyped.
WITH_TOOLS = [
    typing("club members", "<textbox Words>"),
    clicking("<button Search handbook>"),
    typing("Dunmere", "<textbox Start of the line>"),
    typing("Elswort", "<textbox End of the line>"),
    clicking("<button Measure distance>"),
    *answering("12"),
]
# The right house is found, but the answer about the room is guessed without looking; one of two fields is
# wrong.
ON_THE_WAY = [
    Move("One guest.", {"type": "select", "target": "<combobox Guests>", "value": "1 guest"}),
    typing("Pension Moreau", "<textbox Property>"),
    clicking("<button Go>"),
    clicking("<link Pension Moreau>"),
    clicking("<summary Answer>"),
    typing("Cot", "<textbox separated by commas>"),
    typing("R-9808", "<textbox Room number>"),
    clicking("<button Submit answer>"),
]


def profile_of(name: str, **weights: float) -> dict[str, Any]:
    """Return a profile that sums the weighted components; ``__`` in a name means a slash."""
    terms = [{"component": part.replace("__", "/"), "weight": weight} for part, weight in weights.items()]
    return {"name": name, "combination": "sum", "shape": "at_end", "terms": terms}


@dataclass(frozen=True)
class Sample:
    """An episode of the table.

    With ``is_void`` the model fails after the moves. ``profile`` is stored first, unless it is the name of a
    profile that comes with the gym.
    """

    name: str
    script: Script
    profile: str | dict[str, Any] = VERDICT
    opening: dict[str, Any] = field(default_factory=dict)
    is_void: bool = False


SAMPLES = [
    Sample("correct", Script(answering("162"), "correct")),
    Sample("wrong", Script(answering("161"), "incorrect")),
    Sample("void", Script(answering("162")[:1], "void"), is_void=True),
    Sample(
        "tools",
        Script(WITH_TOOLS, "incorrect", "tools", ONE_TOOL),
        profile_of("table-tools", outcome=1, needed=0.1, selection=0.2, arguments=0.2),
    ),
    Sample("cut off", Script([ASTRAY, ASTRAY], "incorrect"), opening={"max_steps": 2}),
    Sample(
        "in parts",
        Script(ON_THE_WAY, "incorrect", "stays", STAY),
        profile_of("table-parts", outcome=1, syntax=0.1, form=0.2, milestone__opened_right_listing=0.3),
    ),
    Sample(
        "not graded",
        Script(answering("162"), "correct"),
        profile_of("table-judged", outcome=1, **{JUDGE.replace("/", "__"): 0.2}),
    ),
]


@dataclass(frozen=True)
class Seat:
    """A sample with its run and task, its moves on the actual pages, and the reference of its profile."""

    sample: Sample
    scene: Scene
    moves: list[Move]
    profile: str

    @property
    def env(self) -> dict[str, Any]:
        """The keywords that a door passes to ``Env``."""
        return {**self.scene.env, **self.settings}

    @property
    def settings(self) -> dict[str, Any]:
        """The keywords other than those for the server and the run."""
        return {**OPENING, **LITE, **self.sample.opening, "reward_profile": self.profile}

    def completion(self, turn: int) -> str | None:
        """Return what the model writes after this many turns; None if it fails."""
        return text_of(self.moves[turn]) if turn < len(self.moves) else None

    def paid(self) -> Rewards:
        """Return what the server pays for the run's episode; for the last one, if several were played."""
        episodes = run_blocking(episodes_of(self.scene.run))
        assert episodes[-1].verdict.outcome == self.sample.script.outcome
        return run_blocking(paid(episodes[-1].id, self.profile))


def seat_make(sample: Sample, *, grammar: str = "json") -> Seat:
    async def make() -> Seat:
        title = f"doors: {sample.name}"
        scene = await scene_make(title, script=sample.script, grammar=grammar, **LITE)
        if isinstance(sample.profile, str):
            return Seat(sample, scene, moves, sample.profile)
        async with Client(SERVER, KEY) as client:
            return Seat(sample, scene, moves, (await client.reward_profile_store(sample.profile)).reference)

    moves = moves_of(sample.name)
    return run_blocking(make())


@cache
def moves_of(name: str) -> list[Move]:
    """Return a sample's moves with its pages' ids, which are the same in all episodes with the same seed."""
    [sample] = [one for one in SAMPLES if one.name == name]

    async def play() -> list[Move]:
        scene = await scene_make("doors: the moves of a sample", script=sample.script, **LITE)
        async with Env(**scene.env, **sample.opening, **LITE) as env:
            shown, made = await env.reset(scene.task, seed=SEED), []
            for move in sample.script.moves:
                made.append(resolved(move, shown.text))
                shown, *_ = await env.step(text_of(made[-1]))
            return made

    return run_blocking(play())


def note(door: str, seat: Seat, number: float | str | None, parts: Numbers | None) -> None:
    """Note what a framework's object contained: a number, None, or a description of what it has instead."""
    rewards = seat.paid()
    row = {
        "door": f"{door} {version(PACKAGES[door])}",
        "sample": seat.sample.name,
        "number": "NaN" if isinstance(number, float) and math.isnan(number) else number,
        "parts": parts,
        "paid": {"total": rewards.total, "components": rewards.components},
    }
    if TABLE:
        with Path(TABLE).open("a") as file:
            file.write(json.dumps(row) + "\n")
