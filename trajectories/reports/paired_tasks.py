"""Impossible tasks beside their paired tasks: the same words about a world in which they are possible.

An agent that always claims impossibility gets every impossible task right and every other one wrong. Getting
both tasks of a pair right shows that it looked.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db import connection
from msgspec import Struct

from trajectories.reports.statistics import wilson

# Pairs of tasks that were both judged, by their shares of correct verdicts. Guided episodes do not count.
# Parameters: run, splits (empty: all).
_PAIRS = """
WITH tried AS (
    SELECT e.arm, e.task_id, avg(v.reward) AS share
      FROM trajectories_episode e JOIN trajectories_verdict v ON v.id = e.verdict_id
      JOIN tasks_app_task t ON t.id = e.task_id
     WHERE e.run_id = %(run)s AND v.reward IS NOT NULL AND e.guidance IS NULL AND t.kind = 'site'
       AND (%(splits)s::text[] = '{}' OR t.split = ANY(%(splits)s::text[]))
     GROUP BY e.arm, e.task_id),
paired AS (
    SELECT tried.arm, g.extra->>'twin' AS pair, (g.extra->>'is_possible')::bool AS is_possible,
           split_part(t.key, '/', 1) AS family, t.benchmark_id, tried.share
      FROM tried JOIN tasks_app_gold g ON g.task_id = tried.task_id AND g.is_current
      JOIN tasks_app_task t ON t.id = tried.task_id
     WHERE g.extra->>'twin' <> '')
SELECT can.arm, can.benchmark_id, can.family, count(*), avg(can.share), avg(cannot.share),
       avg(can.share * cannot.share)
  FROM paired can JOIN paired cannot USING (arm, benchmark_id, family, pair)
 WHERE can.is_possible AND NOT cannot.is_possible
 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"""


class PairedTally(Struct, frozen=True, kw_only=True):
    """The pairs of one family in one arm with both tasks judged; shares from 0 to 1.

    ``possible`` and ``impossible`` are mean shares of correct verdicts on one task of each pair; ``both`` is
    the chance that both are correct in independent tries, with its 95% Wilson interval over the pairs.
    """

    arm: str
    benchmark: str
    family: str
    pairs: int
    possible: float
    impossible: float
    both: float
    low: float
    high: float


def paired_tallies(*, run_id: int, splits: Collection[str] = ()) -> list[PairedTally]:
    """By arm, benchmark and family; empty for runs without pairs."""
    with connection.cursor() as cursor:
        cursor.execute(_PAIRS, {"run": run_id, "splits": list(splits)})
        return [_tally(row) for row in cursor.fetchall()]


def _tally(row: tuple[Any, ...]) -> PairedTally:
    arm, benchmark, family, pairs, possible, impossible, both = row
    low, high = wilson(share=both, n=pairs)
    return PairedTally(
        arm=arm,
        benchmark=benchmark,
        family=family,
        pairs=pairs,
        possible=possible,
        impossible=impossible,
        both=both,
        low=low,
        high=high,
    )
