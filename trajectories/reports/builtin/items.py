"""The table of items by arm, with the share of right samples of each item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from trajectories.reports import setups
from trajectories.reports.analysis import Analysis
from trajectories.reports.charts.heat_map import items_draw
from trajectories.reports.estimators.answers import Floats
from trajectories.reports.registry import Chart, report_table
from trajectories.reports.tables import PERCENT, Column, Row, scaled

# The most items shown per benchmark; with more, the chart's columns would be too thin to see.
ITEMS_MAX = 60


def _columns(analyses: Sequence[Analysis], _rows: Sequence[Row]) -> list[Column]:
    arms = setups.arm_order({key for analysis in analyses for key in analysis.arms})
    return [
        Column("benchmark", "Benchmark"),
        Column("item", "Item"),
        *(Column(key.id, key.label, PERCENT) for key in arms),
    ]


def _notes(analyses: Sequence[Analysis], rows: Sequence[Row]) -> list[str]:
    return [
        f"{analysis.benchmark}: {ITEMS_MAX} of {len(analysis.items):,} items, evenly spread from the hardest "
        "to the easiest; the report's rows have all items."
        for analysis in analyses
        if rows and len(analysis.items) > ITEMS_MAX
    ]


@report_table(
    "items",
    "Items by arm",
    70,
    columns=_columns,
    notes=_notes,
    chart=Chart(draw=items_draw, caption="A column is an item, hardest first. A cell opens its episodes."),
    is_reference=True,
)
def item_rows(analysis: Analysis) -> Iterator[Row]:
    """Yield a row per item, the hardest first, by its mean over the arms in which it was judged."""
    items = analysis.items
    if not len(items) or not analysis.arms:
        return
    right, judged = np.array([analysis.data.tallies(key, items)[:2] for key in analysis.arms]).swapaxes(0, 1)
    shares = np.where(judged > 0, right / np.maximum(judged, 1), np.nan)
    known = np.flatnonzero((judged > 0).any(axis=0))
    if not len(known):
        return
    order = known[np.argsort(np.nanmean(shares[:, known], axis=0), kind="stable")]
    if len(order) > ITEMS_MAX:
        order = order[np.linspace(0, len(order) - 1, ITEMS_MAX).round().astype(int)]
    for number in order:
        yield _row(analysis, int(items[number]), shares[:, number])


def _row(analysis: Analysis, code: int, shares: Floats) -> Row:
    item = analysis.data.items[code]
    row: dict[str, Any] = {"benchmark": analysis.benchmark, "item": item.key, "links": {}}
    row["links"]["item"] = f"/tasks/{item.task}/"
    for key, share in zip(analysis.arms, shares, strict=True):
        row[key.id] = scaled(float(share))
        if row[key.id] is not None:
            row["links"][key.id] = analysis.episodes_link(key, task=str(item.task))
    return row
