"""Items on which two arms of a report differ, each with two episodes to compare."""

from __future__ import annotations

from typing import NamedTuple

from core.sql import Statement
from trajectories.reports.ladder import ArmKey

ITEMS_SHOWN = 200
DIFFERENCES = Statement(__file__, "item_differences")


class ItemDifference(NamedTuple):
    """``episode_a`` and ``episode_b`` ended differently; ``total`` counts the items, shown or not."""

    task: int
    key: str
    prompt: str
    mean_a: float
    samples_a: int
    mean_b: float
    samples_b: int
    episode_a: int
    episode_b: int
    total: int


def item_differences(
    *, report_id: int, benchmark: str, a: ArmKey, b: ArmKey, is_b_better: bool
) -> list[ItemDifference]:
    """The items on which the arm ``a``, or ``b``, is better, the largest differences first."""
    rows = DIFFERENCES.rows(
        report=report_id,
        benchmark=benchmark,
        arm_a=a.arm,
        retest_a=a.retest,
        arm_b=b.arm,
        retest_b=b.retest,
        is_b_better=is_b_better,
        limit=ITEMS_SHOWN,
    )
    return [ItemDifference(*row) for row in rows]
