"""How episodes ended, counted by run or by arm."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

from core.reasons import HARMLESS_VOIDS
from core.sql import Statement
from trajectories.reports.statistics import Clusters, Rate, rate_of

COUNTS = ("episodes", "open", "submitted", "correct", "incorrect", "void", "void_ours", "guided")
# Guided episodes are counted but never rated: their answers are not the policy's alone.


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Counts of episodes; ``rate`` is None when none has been judged."""

    episodes: int = 0
    open: int = 0
    submitted: int = 0
    correct: int = 0
    incorrect: int = 0
    void: int = 0
    void_ours: int = 0
    guided: int = 0
    rate: Rate | None = None

    @property
    def judged(self) -> int:
        return self.correct + self.incorrect


def tallies_by_run(run_ids: Collection[int]) -> dict[int, Tally]:
    return _tallies(part="run_id", column="run_id", ids=run_ids)


def task_tallies_by_arm(*, task_id: int) -> dict[str, Tally]:
    return _tallies(part="arm", column="task_id", ids=[task_id])


def _tallies(
    *, part: Literal["run_id", "arm"], column: Literal["run_id", "task_id"], ids: Collection[int]
) -> dict[Any, Tally]:
    tallies = Statement(__file__, "tallies", part=part, column=column)
    rows = tallies.rows(ids=list(ids), harmless=list(HARMLESS_VOIDS))
    return {row[0]: _tally(row[1:]) for row in rows}


def _tally(row: tuple[int, ...]) -> Tally:
    counts, (tasks, k, n, kk, kn, nn) = row[:8], row[8:]
    sums = Clusters(
        tasks=tasks, correct=k, judged=n, correct_squared=kk, correct_times_judged=kn, judged_squared=nn
    )
    return Tally(**dict(zip(COUNTS, counts, strict=True)), rate=rate_of(sums))
