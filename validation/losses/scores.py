"""Accuracy of the classification on episodes whose class is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from trajectories.reports.losses.rules import TITLES

SetName = Literal["tuning", "held_out"]
SETS: Sequence[SetName] = get_args(SetName)


@dataclass(frozen=True, kw_only=True)
class Score:
    """Counts for one class: episodes that truly have it, that the rules gave it, and both."""

    id: str
    true: int
    given: int
    hits: int

    @property
    def precision(self) -> float | None:
        return self.hits / self.given if self.given else None

    @property
    def recall(self) -> float | None:
        return self.hits / self.true if self.true else None


def scores_of(pairs: Sequence[tuple[str, str]]) -> list[Score]:
    """Score each class; each of ``pairs`` is an episode's true class and the class that the rules gave."""
    return [
        Score(
            id=kind,
            true=sum(true == kind for true, _ in pairs),
            given=sum(given == kind for _, given in pairs),
            hits=sum(true == given == kind for true, given in pairs),
        )
        for kind in TITLES
    ]
