"""Tasks that cannot be done, reported with their twins: the same words about a world in which they can.

Whoever always says that it cannot be done has every impossible task right and every other one wrong. What
tells who looked is having both.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db import connection
from msgspec import Struct

from trajectories.reports.statistics import wilson

# A task's share of right answers, over its judged tries; guided episodes are nobody's own. Pairs of which
# both were tried; parameters: run, splits (empty: all).
_PAIRS = """
WITH tried AS (
    SELECT e.arm, e.task_id, avg(v.reward) AS share
      FROM trajectories_episode e JOIN trajectories_verdict v ON v.id = e.verdict_id
      JOIN tasks_app_task t ON t.id = e.task_id
     WHERE e.run_id = %(run)s AND v.reward IS NOT NULL AND e.guidance IS NULL AND t.kind = 'site'
       AND (%(splits)s::text[] = '{}' OR t.split = ANY(%(splits)s::text[]))
     GROUP BY e.arm, e.task_id),
twins AS (
    SELECT tried.arm, g.extra->>'twin' AS twin, (g.extra->>'is_possible')::bool AS is_possible,
           split_part(t.key, '/', 1) AS family, t.benchmark_id, tried.share
      FROM tried JOIN tasks_app_gold g ON g.task_id = tried.task_id AND g.is_current
      JOIN tasks_app_task t ON t.id = tried.task_id
     WHERE g.extra->>'twin' <> '')
SELECT can.arm, can.benchmark_id, can.family, count(*), avg(can.share), avg(cannot.share),
       avg(can.share * cannot.share)
  FROM twins can JOIN twins cannot USING (arm, benchmark_id, family, twin)
 WHERE can.is_possible AND NOT cannot.is_possible
 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"""


class TwinTally(Struct, frozen=True, kw_only=True):
    """The pairs of one family in one arm, of which both tasks were judged; shares from 0 to 1.

    ``possible`` and ``impossible`` are the mean shares of right answers to one task of each pair; ``both`` is
    that of both being right in independent tries, with the 95% Wilson interval for as many pairs.
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


def twin_tallies(*, run_id: int, splits: Collection[str] = ()) -> list[TwinTally]:
    """By arm, benchmark and family; empty for runs without pairs."""
    with connection.cursor() as cursor:
        cursor.execute(_PAIRS, {"run": run_id, "splits": list(splits)})
        return [_tally(row) for row in cursor.fetchall()]


def _tally(row: tuple[Any, ...]) -> TwinTally:
    arm, benchmark, family, pairs, possible, impossible, both = row
    low, high = wilson(share=both, n=pairs)
    return TwinTally(
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
