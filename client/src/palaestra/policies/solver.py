"""A policy that knows the solutions and reasons before it acts, as the upper bound of every score."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from palaestra.observation import Observation
from palaestra.policies.base import EpisodeInfo
from palaestra.policies.submission import PlannedAnswer, write_completion
from palaestra.records import Task

PROGRAM_FORM = "program"
VALUES_FORM = "values"
FREE_ORDER = "free"
# How WikiTableQuestions escapes a bar, a line break and a backslash in a value.
ESCAPES = {"\\p": "|", "\\n": "\n", "\\\\": "\\"}
_ESCAPE = re.compile(r"\\[pn\\]")


class Solution(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a golds export: a task's answer and its worked solution, if there is one."""

    task: int
    answer: str
    solution: str = ""
    benchmark: str = ""
    split: str = ""


class Solver:
    """Writes out the worked solution and submits the reference answer; stops if the task has no answer.

    ``tasks`` provide the texts of choices, because the choices' labels may be permuted in an episode.
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
        return write_completion(observation, episode, answer=answer, reasoning=reasoning, closing=closing)

    def list_values(self, task: int, form: str) -> tuple[str, ...]:
        """Return the values of the reference answer."""
        answer = self._solutions[task].answer
        return tuple(map(_unescape, answer.split("|"))) if form == VALUES_FORM else (answer,)

    def _answer(self, solution: Solution, episode: EpisodeInfo) -> PlannedAnswer:
        if episode.answer_form == VALUES_FORM:
            return PlannedAnswer(values=self.list_values(solution.task, episode.answer_form))
        return self.plan_answer(solution.task, solution.answer)

    def plan_answer(self, task: int, answer: str) -> PlannedAnswer:
        """Return an answer with one value; for a choice whose label may be permuted, include its text."""
        payload = self._payloads.get(task, {})
        if payload.get("order") != FREE_ORDER:
            return PlannedAnswer(values=(answer,))
        texts = {choice["label"]: choice["text"] for choice in payload.get("choices", ())}
        return PlannedAnswer(values=(answer,), choice=str(texts.get(answer, "")))


def solutions_read(path: Path | str) -> dict[int, Solution]:
    """Return the solutions of a golds export (NDJSON), by task id. Raises ``msgspec.ValidationError``."""
    decoder = msgspec.json.Decoder(Solution)
    with open(path, "rb") as lines:
        solutions = [decoder.decode(line) for line in lines if line.strip()]
    return {solution.task: solution for solution in solutions}


def _unescape(value: str) -> str:
    return _ESCAPE.sub(lambda match: ESCAPES[match[0]], value)
