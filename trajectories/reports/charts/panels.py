"""Small multiples with a panel per benchmark: accuracy down the ladder, and over policy versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from trajectories.reports.labels import arm_label, link_of
from trajectories.shell.charts.drawing import SERIES, Drawing, labels_width
from trajectories.shell.charts.lines import Line, Point, grid_draw, series_style
from trajectories.shell.charts.scale import Scale, share_scale

WIDTH, GAP = 760, 28
PANELS = 610
COLUMNS = 3
TITLE, ROW, AXIS = 24, 24, 24
LABELS_LEAST = 150
PLOT = 150
UNIT = "percent correct"

Row = Mapping[str, Any]


def ladder_draw(table: Mapping[str, Any]) -> Drawing | None:
    """Draw accuracy with one row per arm, or return None if there is no value to draw."""
    panels = _panels(table)
    if not panels:
        return None
    arms = list(dict.fromkeys(row["arm"] for row in table["rows"] if row.get("accuracy") is not None))
    height = TITLE + ROW * len(arms) + AXIS
    bands = [panels[first : first + COLUMNS] for first in range(0, len(panels), COLUMNS)]
    edge = labels_width(map(arm_label, arms), least=LABELS_LEAST)
    size = (edge + PANELS, height * len(bands))
    drawing = _drawing(table, size, what="Accuracy of each arm, with intervals")
    width = PANELS / COLUMNS - GAP
    for number, band in enumerate(bands):
        top = number * height
        for place, arm in enumerate(arms):
            drawing.text("plot-end", edge - 12, top + TITLE + ROW * (place + 0.5), arm_label(arm))
        for column, (name, rows) in enumerate(band):
            left = edge + column * (width + GAP)
            scale = share_scale(start=left, end=left + width)
            drawing.text("plot-strong", left, top + TITLE / 2, name)
            _verticals(drawing, scale, top=top + TITLE, bottom=top + height - AXIS)
            _ladder_panel(drawing, scale, rows, arms, top + TITLE)
    return drawing


def _ladder_panel(
    drawing: Drawing, scale: Scale, rows: Sequence[Row], arms: Sequence[str], top: float
) -> None:
    places = {arm: top + ROW * (number + 0.5) for number, arm in enumerate(arms)}
    ladder = [(scale.place(row["accuracy"]), places[row["arm"]]) for row in rows if row.get("is_on_ladder")]
    if len(ladder) > 1:
        drawing.path("plot-line", ladder)
    for row in rows:
        x, y = scale.place(row["accuracy"]), places[row["arm"]]
        if row.get("low") is not None:
            drawing.line("plot-whisker", scale.place(row["low"]), y, scale.place(row["high"]), y)
        kind = "plot-dot" if row.get("is_on_ladder") else "plot-hollow"
        drawing.dot(kind, x, y, link=link_of(row, "accuracy"), tip=_tip(row))


def versions_draw(table: Mapping[str, Any]) -> Drawing | None:
    """Draw accuracy over policy versions, one line per arm, or return None if there is nothing to draw."""
    panels = _panels(table)
    if not panels:
        return None
    arms = list(dict.fromkeys(row["arm"] for _, rows in panels for row in rows))
    bands = [panels[first : first + COLUMNS] for first in range(0, len(panels), COLUMNS)]
    legend = ROW * -(-len(arms) // COLUMNS)
    height = TITLE + PLOT + AXIS
    size = (WIDTH, legend + height * len(bands))
    drawing = _drawing(table, size, what="Accuracy over policy versions by arm")
    for number, arm in enumerate(arms):
        x, y = 40 + WIDTH / COLUMNS * (number % COLUMNS), ROW * (number // COLUMNS) + ROW / 2
        drawing.dot(f"plot-ink-{number % len(SERIES)}", x, y)
        drawing.text("", x + 10, y, arm_label(arm))
    width = (WIDTH - 40) / COLUMNS - GAP
    for number, band in enumerate(bands):
        for column, (name, rows) in enumerate(band):
            left, top = 40 + column * (width + GAP), legend + number * height
            drawing.text("plot-strong", left, top + TITLE / 2, name)
            _version_panel(drawing, rows, arms, (left, left + width), top + TITLE)
    return drawing


def _version_panel(
    drawing: Drawing, rows: Sequence[Row], arms: Sequence[str], sides: tuple[float, float], top: float
) -> None:
    y = share_scale(start=top + PLOT, end=top)
    grid_draw(drawing, Scale(low=0, high=1, step=1, start=sides[0], end=sides[1]), y, size="plot-small ")
    first, last = (end(row["version"] for row in rows) for end in (min, max))
    x = Scale(low=first, high=max(last, first + 1), step=1, start=sides[0] + 8, end=sides[1] - 8)
    for version in dict.fromkeys((first, last)):
        drawing.text(
            "plot-soft plot-small plot-middle", x.place(version), top + PLOT + 12, f"version {version}"
        )
    for number, arm in enumerate(arms):
        style = series_style(number % len(SERIES))
        points = [
            Point(
                row["version"],
                row["accuracy"],
                f"version {row['version']}, {_tip(row)}",
                row.get("low"),
                row.get("high"),
                link_of(row, "accuracy"),
            )
            for row in sorted(rows, key=lambda row: int(row["version"]))
            if row["arm"] == arm
        ]
        line = Line(points=points, style=style._replace(whisker=style.stroke))
        line.draw(drawing, x, y, whiskers_max=len(points), r=4)


def _panels(table: Mapping[str, Any]) -> list[tuple[str, list[Row]]]:
    rows = [row for row in table["rows"] if row.get("accuracy") is not None]
    return [(name, list(members)) for name, members in groupby(rows, key=lambda row: str(row["benchmark"]))]


def _drawing(table: Mapping[str, Any], size: tuple[float, float], *, what: str) -> Drawing:
    return Drawing(
        name=f"chart-{table['id']}",
        width=size[0],
        height=size[1],
        title=table["title"],
        description=f"{what}, in {UNIT}. The table has the same numbers.",
    )


def _verticals(drawing: Drawing, scale: Scale, *, top: float, bottom: float) -> None:
    for text, x in scale.ticks:
        drawing.line("plot-grid", x, top, x, bottom)
        drawing.text("plot-soft plot-small plot-middle", x, bottom + 10, text)


def _tip(row: Row) -> str:
    interval = "" if row.get("low") is None else f" ({row['low']:.1f} to {row['high']:.1f})"
    return f"{row['benchmark']}, {arm_label(row['arm'])}: {row['accuracy']:.1f}%{interval}"
