"""Knows the solution and reasons before it acts: the ceiling of every score."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from palaestra.observation import Observation
from palaestra.policies.base import EpisodeInfo
from palaestra.policies.submission import PlannedAnswer, completion_next
from palaestra.records import Task

PROGRAM_FORM = "program"
VALUES_FORM = "values"
FREE_ORDER = "free"
# How WikiTableQuestions escapes a bar, a line break and a backslash inside a value.
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
    """Submits the reference answer after writing out its solution; stops at a task without one.

    ``tasks`` hold the texts of choices, whose labels may have moved in an episode.
    """

    name = "solver"
    simulated = True

    def __init__(self, solutions: Mapping[int, Solution], tasks: Iterable[Task] = ()) -> None:
        self._solutions = solutions
        self._payloads: dict[int, Mapping[str, Any]] = {task.id: task.payload for task in tasks}

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | None:
        solution = self._solutions.get(episode.task)
        if solution is None:
            return None
        answer = self._answer(solution, episode)
        worked = solution.solution.strip() or "The reference solution gives only its result."
        is_short = episode.answer_form != PROGRAM_FORM
        result = f"So the answer is {answer}." if is_short else "So this program answers it."
        reasoning = f"Let me work this out.\n{worked}\n{result}"
        closing = "The page now holds the result, so I submit it."
        return completion_next(observation, episode, answer=answer, reasoning=reasoning, closing=closing)

    def values_of(self, task: int, form: str) -> tuple[str, ...]:
        """The values of the reference answer."""
        answer = self._solutions[task].answer
        return tuple(map(_unescaped, answer.split("|"))) if form == VALUES_FORM else (answer,)

    def _answer(self, solution: Solution, episode: EpisodeInfo) -> PlannedAnswer:
        if episode.answer_form == VALUES_FORM:
            return PlannedAnswer(values=self.values_of(solution.task, episode.answer_form))
        return self.answer_planned(solution.task, solution.answer)

    def answer_planned(self, task: int, answer: str) -> PlannedAnswer:
        """An answer of one value; of a choice whose label may have moved, the text."""
        payload = self._payloads.get(task, {})
        if payload.get("order") != FREE_ORDER:
            return PlannedAnswer(values=(answer,))
        texts = {choice["label"]: choice["text"] for choice in payload.get("choices", ())}
        return PlannedAnswer(values=(answer,), choice=str(texts.get(answer, "")))


def solutions_read(path: Path | str) -> dict[int, Solution]:
    """The solutions of a golds export (NDJSON), by task id. May raise ``msgspec.ValidationError``."""
    decoder = msgspec.json.Decoder(Solution)
    with open(path, "rb") as lines:
        solutions = [decoder.decode(line) for line in lines if line.strip()]
    return {solution.task: solution for solution in solutions}


def _unescaped(value: str) -> str:
    return _ESCAPE.sub(lambda match: ESCAPES[match[0]], value)
