"""The items on which two arms of a report differ, each with two episodes to compare."""

from __future__ import annotations

from typing import NamedTuple

from core.database.sql import Statement
from trajectories.models import Report
from trajectories.reports import selectors
from trajectories.reports.ladder import ArmKey, arm_of

ITEMS_SHOWN = 200
DIFFERENCES = Statement(__file__, "item_differences")


class ItemDifference(NamedTuple):
    """An item on which two arms differ.

    ``episode_a`` and ``episode_b`` are episodes with different outcomes. ``total`` is the number of all such
    items, of which only the first are listed.
    """

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
    report: Report, *, benchmark: str, a: ArmKey, b: ArmKey, is_b_better: bool
) -> list[ItemDifference]:
    """Return the items on which arm ``a`` is better, or arm ``b`` if ``is_b_better``.

    The largest differences come first.
    """
    rows = DIFFERENCES.rows(
        benchmark=benchmark,
        arm_a=a.arm,
        runs_a=_runs(report, a),
        arm_b=b.arm,
        runs_b=_runs(report, b),
        is_b_better=is_b_better,
        limit=ITEMS_SHOWN,
    )
    return [ItemDifference(*row) for row in rows]


def _runs(report: Report, key: ArmKey) -> list[int]:
    """Return the ids of the report's runs whose episodes in the arm belong to ``key``."""
    planned = report.plan["arms"]
    return [
        run.pk
        for run in selectors.report_runs(report.pk)
        if arm_of(planned, arm=key.arm, retest=run.is_retest, observation=run.observation) == key
    ]
