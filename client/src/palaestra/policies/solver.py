"""Knows the solution and reasons before it acts: the ceiling of every score."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from palaestra.observation import Observation
from palaestra.policies.base import EpisodeInfo
from palaestra.policies.reply import Reply, hand_in
from palaestra.records import Task

PROGRAM_FORM = "program"
VALUES_FORM = "values"
FREE_ORDER = "free"
# How a WikiTableQuestions file writes a bar, a line break and a backslash inside a value.
ESCAPES = {"\\p": "|", "\\n": "\n", "\\\\": "\\"}
_ESCAPE = re.compile(r"\\[pn\\]")


class Solution(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a golds export: the answer of a task and, where there is one, its worked solution."""

    task: int
    answer: str
    solution: str = ""
    benchmark: str = ""
    split: str = ""


class Solver:
    """Hands in the reference answer after writing its solution out. A task without one it leaves.

    ``tasks`` tell the texts of choices, whose labels may have moved in an episode.
    """

    name = "solver"
    simulated = True

    def __init__(self, solutions: Mapping[int, Solution], tasks: Iterable[Task] = ()) -> None:
        self._solutions = solutions
        self._payloads: dict[int, Mapping[str, Any]] = {task.id: task.payload for task in tasks}

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | None:
        known = self._solutions.get(episode.task)
        if known is None:
            return None
        reply = self._reply(known, episode)
        worked = known.solution.strip() or "The reference solution gives only its result."
        is_short = episode.answer_form != PROGRAM_FORM
        result = f"So the answer is {reply.said}." if is_short else "So this program answers it."
        first = f"Let me work this out.\n{worked}\n{result}"
        then = "The page holds what the working gives, so I hand it in."
        return hand_in(observation, episode, reply=reply, first=first, then=then)

    def _reply(self, known: Solution, episode: EpisodeInfo) -> Reply:
        if episode.answer_form == VALUES_FORM:
            return Reply(values=tuple(_unescaped(value) for value in known.answer.split("|")))
        return Reply(values=(known.answer,), choice=self._choice(known))

    def _choice(self, known: Solution) -> str:
        payload = self._payloads.get(known.task, {})
        if payload.get("order") != FREE_ORDER:
            return ""
        texts = {choice["label"]: choice["text"] for choice in payload.get("choices", ())}
        return str(texts.get(known.answer, ""))


def solutions_read(path: Path | str) -> dict[int, Solution]:
    """The solutions of a golds export (NDJSON), by task id. May raise ``msgspec.ValidationError``."""
    decoder = msgspec.json.Decoder(Solution)
    with open(path, "rb") as lines:
        found = [decoder.decode(line) for line in lines if line.strip()]
    return {solution.task: solution for solution in found}


def _unescaped(value: str) -> str:
    return _ESCAPE.sub(lambda found: ESCAPES[found[0]], value)
