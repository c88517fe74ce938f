"""How episodes ended, counted by run or by arm."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

from django.db import connection

from core.reasons import HARMLESS_VOIDS
from trajectories.reports.statistics import Clusters, Rate, rate_of

COUNTS = ("episodes", "open", "submitted", "correct", "incorrect", "void", "void_ours", "guided")
# Guided episodes are counted but never rated: their answers are not the policy's alone.
TALLIES = """
WITH per_task AS (
    SELECT e.{part} AS part, e.task_id,
           count(*) AS episodes,
           count(*) FILTER (WHERE e.status = 'open') AS open,
           count(*) FILTER (WHERE e.status = 'submitted') AS submitted,
           count(*) FILTER (WHERE v.outcome = 'correct') AS correct,
           count(*) FILTER (WHERE v.outcome = 'incorrect') AS incorrect,
           count(*) FILTER (WHERE v.outcome = 'void') AS void,
           count(*) FILTER (WHERE v.outcome = 'void' AND v.reason <> ALL(%(harmless)s)) AS void_ours,
           count(*) FILTER (WHERE e.guidance IS NOT NULL) AS guided,
           count(*) FILTER (WHERE v.outcome = 'correct' AND e.guidance IS NULL) AS k,
           count(*) FILTER (WHERE v.outcome IN ('correct', 'incorrect') AND e.guidance IS NULL) AS n
      FROM trajectories_episode e LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
     WHERE e.{column} = ANY(%(ids)s)
     GROUP BY e.{part}, e.task_id)
SELECT part, sum(episodes)::bigint, sum(open)::bigint, sum(submitted)::bigint, sum(correct)::bigint,
       sum(incorrect)::bigint, sum(void)::bigint, sum(void_ours)::bigint, sum(guided)::bigint,
       count(*) FILTER (WHERE n > 0), sum(k)::bigint, sum(n)::bigint,
       sum(k * k)::bigint, sum(k * n)::bigint, sum(n * n)::bigint
  FROM per_task GROUP BY part ORDER BY part
"""


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
    sql = TALLIES.format(part=part, column=column)
    with connection.cursor() as cursor:
        cursor.execute(sql, {"ids": list(ids), "harmless": list(HARMLESS_VOIDS)})
        return {row[0]: _tally(row[1:]) for row in cursor.fetchall()}


def _tally(row: tuple[int, ...]) -> Tally:
    counts, (tasks, k, n, kk, kn, nn) = row[:8], row[8:]
    sums = Clusters(
        tasks=tasks, correct=k, judged=n, correct_squared=kk, correct_times_judged=kn, judged_squared=nn
    )
    return Tally(**dict(zip(COUNTS, counts, strict=True)), rate=rate_of(sums))
