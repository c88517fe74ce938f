"""Knows the solution and reasons before it acts: the ceiling of every score."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from palaestra.observation import Observation
from palaestra.policies.base import EpisodeInfo, hand_in


class Solution(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a golds export: the answer of a task and, where there is one, its worked solution."""

    task: int
    answer: str
    solution: str = ""
    benchmark: str = ""
    split: str = ""


class Solver:
    """Hands in the reference answer after writing its solution out. A task without one it leaves."""

    name = "solver"
    simulated = True

    def __init__(self, solutions: Mapping[int, Solution]) -> None:
        self._solutions = solutions

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | None:
        known = self._solutions.get(episode.task)
        if known is None:
            return None
        worked = known.solution.strip() or "The reference solution gives only its result."
        first = f"Let me work this out.\n{worked}\nSo the answer is {known.answer}."
        then = f"The field holds {known.answer}, which is what the working gives, so I hand it in."
        return hand_in(observation, episode, answer=known.answer, first=first, then=then)


def solutions_read(path: Path | str) -> dict[int, Solution]:
    """The solutions of a golds export (NDJSON), by task id. May raise ``msgspec.ValidationError``."""
    decoder = msgspec.json.Decoder(Solution)
    with open(path, "rb") as lines:
        found = [decoder.decode(line) for line in lines if line.strip()]
    return {solution.task: solution for solution in found}
