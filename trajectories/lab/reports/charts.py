"""Estimates with their intervals as coordinates in an SVG, a row each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trajectories.lab.reports.tables import arm_label, table_get

WIDTH, LEFT, RIGHT = 720, 250, 90
TOP, ROW, BOTTOM = 8, 26, 26
TICKS = 5
STEPS = (1, 2, 5, 10, 20, 25, 50)
# Tables that have a chart: the column of values, its labels, and whether the axis is that of shares.
CHARTS = {
    "gaps": ("gap", ("benchmark", "contrast"), False),
    "rungs": ("gap", ("benchmark", "rung"), False),
    "accuracy": ("accuracy", ("benchmark", "arm"), True),
}


@dataclass(frozen=True, kw_only=True)
class Mark:
    """``low_x`` is empty without an interval, ``x`` without a value."""

    label: str
    y: str
    x: str
    low_x: str
    high_x: str
    text: str
    link: str


@dataclass(frozen=True, kw_only=True)
class Chart:
    id: str
    title: str
    unit: str
    height: int
    marks: Sequence[Mark]
    ticks: Sequence[tuple[str, str]]
    zero_x: str
    width: int = WIDTH
    label_x: int = LEFT - 12
    text_x: int = WIDTH - 4

    @property
    def axis_y(self) -> int:
        return self.height - 8

    @property
    def foot_y(self) -> int:
        return self.height - BOTTOM


def charts_of(result: Mapping[str, Any] | None) -> list[Chart]:
    """Charts of the tables that have a number to draw."""
    return [chart for table_id in CHARTS if (chart := chart_of(result, table_id))]


def chart_of(result: Mapping[str, Any] | None, table_id: str) -> Chart | None:
    """None without a number to draw."""
    table = table_get(result, table_id)
    if table_id not in CHARTS or table is None:
        return None
    name, labels, is_share = CHARTS[table_id]
    rows = [row for row in table["rows"] if row.get(name) is not None]
    if not rows:
        return None
    low, high, step = (0.0, 100.0, 25.0) if is_share else _domain(rows, name)
    scale = (WIDTH - LEFT - RIGHT) / (high - low)

    def place(value: float) -> str:
        return f"{LEFT + (min(max(value, low), high) - low) * scale:.1f}"

    marks = [
        Mark(
            label=", ".join(_label(row, label) for label in labels),
            y=f"{TOP + ROW * (number + 0.5):.1f}",
            x=place(row[name]),
            low_x="" if row.get("low") is None else place(row["low"]),
            high_x="" if row.get("low") is None else place(row["high"]),
            text=f"{row[name]:.1f}",
            link=row.get("links", {}).get(name, ""),
        )
        for number, row in enumerate(rows)
    ]
    count = round((high - low) / step)
    return Chart(
        id=table_id,
        title=table["title"],
        unit="percent correct" if is_share else "points of accuracy",
        height=TOP + ROW * len(rows) + BOTTOM,
        marks=marks,
        ticks=[(f"{low + number * step:g}", place(low + number * step)) for number in range(count + 1)],
        zero_x=place(0.0),
    )


def _domain(rows: Sequence[Mapping[str, Any]], name: str) -> tuple[float, float, float]:
    """Round ends that hold 0 and every interval, and the distance of ticks."""
    values = [row[end] for row in rows for end in (name, "low", "high") if row.get(end) is not None]
    low, high = min(0.0, *values), max(0.0, *values)
    step = next((step for step in STEPS if (high - low) / step <= TICKS), STEPS[-1])
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    return low, high if high > low else low + step, step


def _label(row: Mapping[str, Any], name: str) -> str:
    if name == "contrast":
        return f"{arm_label(row['a'])} − {arm_label(row['b'])}"
    return arm_label(row[name]) if name == "arm" else str(row[name])
