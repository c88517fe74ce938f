"""Items by arm: the share of each item's samples that is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from trajectories.reports import setups
from trajectories.reports.analysis import Analysis
from trajectories.reports.estimators.answers import Floats
from trajectories.reports.tables import PERCENT, Column, Row, Table, scaled

# Of a benchmark: more would be columns too thin to see.
ITEMS_MAX = 60


def item_table(analyses: Sequence[Analysis]) -> Table:
    arms = setups.arm_order({key for analysis in analyses for key in analysis.arms})
    columns = [
        Column("benchmark", "Benchmark"),
        Column("item", "Item"),
        *(Column(key.id, key.label, PERCENT) for key in arms),
    ]
    rows = [row for analysis in analyses for row in _rows(analysis)]
    notes = [note for analysis in analyses if (note := _note(analysis))] if rows else []
    return Table(id="items", title="Items by arm", columns=columns, rows=rows, notes=notes)


def _rows(analysis: Analysis) -> Iterator[Row]:
    """The hardest first, by the mean over the arms that have judged it."""
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
    for place in order:
        yield _row(analysis, int(items[place]), shares[:, place])


def _row(analysis: Analysis, code: int, shares: Floats) -> Row:
    item = analysis.data.items[code]
    row: dict[str, Any] = {"benchmark": analysis.benchmark, "item": item.key, "links": {}}
    row["links"]["item"] = f"/tasks/{item.task}/"
    for key, share in zip(analysis.arms, shares, strict=True):
        row[key.id] = scaled(float(share))
        if row[key.id] is not None:
            row["links"][key.id] = analysis.episodes_link(key, task=str(item.task))
    return row


def _note(analysis: Analysis) -> str:
    count = len(analysis.items)
    if count <= ITEMS_MAX:
        return ""
    return (
        f"{analysis.benchmark}: {ITEMS_MAX} of {count:,} items, evenly spread from the hardest to the "
        "easiest; the rows have all."
    )
