"""The table of deviations of the runs from the plan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trajectories.reports import setups
from trajectories.reports.analysis import Analysis
from trajectories.reports.ladder import UNSCORED, ArmKey, arm_read
from trajectories.reports.registry import report_table
from trajectories.reports.tables import BY_ARM, COUNT, Column, Row

COLUMNS = (*BY_ARM, Column("deviation", "Deviation"), Column("episodes", "How many", COUNT))


@report_table(
    "deviations",
    "Deviations from the plan",
    130,
    columns=COLUMNS,
    notes=lambda _analyses, rows: [] if rows else ["The runs are as planned."],
    main=("benchmark", "arm", "deviation", "episodes"),
)
def deviation_rows(analysis: Analysis) -> Iterator[Row]:
    planned = [arm_read(arm) for arm in analysis.plan["arms"]]
    for key in planned:
        if key not in analysis.data.arms:
            yield _row(analysis, key, "no episode has begun")
    if analysis.plan["retest"] and not any(key.retest for key in analysis.data.arms):
        yield _row(analysis, None, "no arm was played a second time")
    items = _planned_items(analysis)
    for key in setups.arm_order(analysis.data.arms):
        if not key.retest and key not in planned:
            yield _row(analysis, key, "not in the plan")
        yield from _arm_rows(analysis, key, items)


def _arm_rows(analysis: Analysis, key: ArmKey, items: int | None) -> Iterator[Row]:
    column = analysis.data.arms[key]
    if column.unfinished:
        yield _row(analysis, key, "episodes still open", column.unfinished)
    for setup in analysis.setups[key]:
        for text in setups.off_plan(setup, analysis.plan, key):
            yield _row(analysis, key, text)
    if mixed := analysis.mixture(key):
        yield _row(analysis, key, mixed)
    ended = len(set(column.ended["item"]))
    if items is not None and ended != items:
        less_or_more = "fewer" if ended < items else "more"
        yield _row(
            analysis, key, f"{less_or_more} items than planned ({ended:,} of {items:,})", abs(items - ended)
        )
    missing = ended * analysis.plan["samples"] - len(column.ended["outcome"])
    if missing > 0 and key.arm not in UNSCORED:
        yield _row(analysis, key, "samples missing", missing)


def _planned_items(analysis: Analysis) -> int | None:
    (planned,) = (
        benchmark for benchmark in analysis.plan["benchmarks"] if benchmark["slug"] == analysis.benchmark
    )
    return len(planned["task_ids"]) if planned["task_ids"] else planned["limit"]


def _row(analysis: Analysis, key: ArmKey | None, text: str, count: int | None = None) -> Row:
    row: dict[str, Any] = {
        "benchmark": analysis.benchmark,
        "arm": key.id if key else "",
        "deviation": text,
        "episodes": count,
    }
    if key and key in analysis.data.arms:
        row["links"] = {"deviation": analysis.episodes_link(key)}
    return row
