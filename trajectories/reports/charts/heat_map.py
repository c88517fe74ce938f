"""The heat map of items by arm, a block per benchmark, in which darker cells have more right samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from trajectories.reports.labels import arm_label
from trajectories.shell.charts.drawing import Drawing, labels_width

LABELS_LEAST, PLOT = 150, 610
TITLE, CELL, LEGEND = 24, 16, 28
CELL_MAX = 16

Row = Mapping[str, Any]


def items_draw(table: Mapping[str, Any]) -> Drawing | None:
    """Draw the heat map, or return None if there are no items."""
    rows = table["rows"]
    if not rows:
        return None
    arms = [column["id"] for column in table["columns"] if column["unit"]]
    blocks = [(str(name), list(items)) for name, items in groupby(rows, key=lambda row: row["benchmark"])]
    shown = [(name, items, _arms_of(items, arms)) for name, items in blocks]
    left = labels_width(map(arm_label, arms), least=LABELS_LEAST)
    height = LEGEND + sum(TITLE + CELL * len(own) for _, _, own in shown)
    drawing = Drawing(
        name=f"chart-{table['id']}",
        width=left + PLOT,
        height=height,
        title=table["title"],
        description=f"{len(rows)} items by arm, the hardest first. The table has the same numbers.",
    )
    y = 0.0
    for name, items, own in shown:
        drawing.text("plot-strong", 0, y + TITLE / 2, name)
        for number, arm in enumerate(own):
            _line(drawing, items, arm, left, y + TITLE + CELL * number)
        y += TITLE + CELL * len(own)
    _legend(drawing, left, y + LEGEND / 2)
    return drawing


def _arms_of(items: Sequence[Row], arms: Sequence[str]) -> list[str]:
    return [arm for arm in arms if any(row.get(arm) is not None for row in items)]


def _line(drawing: Drawing, items: Sequence[Row], arm: str, left: float, y: float) -> None:
    drawing.text("plot-end", left - 12, y + CELL / 2, arm_label(arm))
    width = min(CELL_MAX, PLOT / len(items))
    for number, row in enumerate(items):
        share, x = row.get(arm), left + number * width
        size = (x, y, width - 1, CELL - 1)
        if share is None:
            drawing.rect("plot-none", *size)
            continue
        tip = f"{row['item']}, {arm_label(arm)}: {share:.0f}% right"
        link = row.get("links", {}).get(arm, "")
        drawing.rect("plot-heat", *size, fill_opacity=f"{share / 100:.2f}", link=link, tip=tip)


def _legend(drawing: Drawing, left: float, y: float) -> None:
    drawing.text("plot-soft plot-small plot-end", left - 12, y, "of its samples right:")
    for number, share in enumerate((0, 25, 50, 75, 100)):
        x = left + number * 64
        drawing.rect("plot-heat", x, y - 7, 14, 14, fill_opacity=f"{share / 100:.2f}")
        drawing.text("plot-soft plot-small", x + 20, y, f"{share}%")
    x = left + 5 * 64
    drawing.rect("plot-none", x, y - 7, 14, 14)
    drawing.text("plot-soft plot-small", x + 20, y, "no judged episode")
