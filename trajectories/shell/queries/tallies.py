"""Counts of episodes by outcome, per run or per arm."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from core.sql import Statement
from core.statistics import Clusters, Rate, rate_of
from palaestra.protocol.end_reasons import HARMLESS_VOIDS
from trajectories.models.sums import Scope
from trajectories.record.hot_sql import UNFINISHED

COUNTS = ("episodes", "open", "submitted", "correct", "incorrect", "void", "void_ours", "set_apart")
# Guided episodes are counted but never rated: their answers are not the policy's alone.
BY_RUN = Statement(__file__, "sum_tallies", unfinished=UNFINISHED, part="run_id", key="run_id")
BY_ARM = Statement(__file__, "sum_tallies", unfinished=UNFINISHED, part="arm", key="part")
OF_TASK = Statement(__file__, "task_tallies")


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
    set_apart: int = 0  # forked, guided or taken over: left out of rates
    rate: Rate | None = None

    @property
    def judged(self) -> int:
        return self.correct + self.incorrect


def tallies_by_run(run_ids: Collection[int]) -> dict[int, Tally]:
    """The tallies of runs, read from their sums; a run without episodes is left out."""
    return _tallies(BY_RUN.rows(runs=list(run_ids), scope=Scope.RUN, harmless=list(HARMLESS_VOIDS)))


def run_tallies_by_arm(*, run_id: int) -> dict[str, Tally]:
    """The tallies of a run, read from its sums."""
    return _tallies(BY_ARM.rows(runs=[run_id], scope=Scope.ARM, harmless=list(HARMLESS_VOIDS)))


def task_tallies_by_arm(*, task_id: int) -> dict[str, Tally]:
    """The tallies of a task, counted in its episodes."""
    return _tallies(OF_TASK.rows(task=task_id, harmless=list(HARMLESS_VOIDS)))


def _tallies(rows: Iterable[tuple[Any, ...]]) -> dict[Any, Tally]:
    return {row[0]: _tally(row[1:]) for row in rows}


def _tally(row: tuple[int, ...]) -> Tally:
    counts, (tasks, k, n, kk, kn, nn) = row[:8], row[8:]
    sums = Clusters(
        tasks=tasks, correct=k, judged=n, correct_squared=kk, correct_times_judged=kn, judged_squared=nn
    )
    return Tally(**dict(zip(COUNTS, counts, strict=True)), rate=rate_of(sums))
