"""Estimates with their intervals, a row each, in groups: gaps, rungs, lengths of thoughts, looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from trajectories.lab.reports.charts.drawing import Drawing, labels_width
from trajectories.lab.reports.charts.scale import Scale, scale_of, share_scale
from trajectories.lab.reports.labels import arm_label, contrast_label
from trajectories.lab.reports.tables import INTERVALS

LEFT_LEAST, PLOT, RIGHT = 150, 370, 150
TOP, HEAD, ROW, FOOT = 6, 24, 22, 40


@dataclass(frozen=True, kw_only=True)
class Forest:
    """What of a table is drawn: a row per ``label``, under headings of the format ``group``.

    ``ends`` says what lies left and right of zero; ``is_share`` fixes the axis to 0 to 100%;
    ``truth`` is the column of a known value, drawn hollow.
    """

    value: str
    group: str = "{benchmark}"
    label: Sequence[str]
    unit: str
    ends: tuple[str, str] = ("", "")
    is_share: bool = False
    truth: str = ""

    def draw(self, table: Mapping[str, Any], *, margin: float | None = None) -> Drawing | None:
        """None without a value to draw. ``margin`` is drawn as a band around zero."""
        rows = [row for row in table["rows"] if row.get(self.value) is not None]
        if not rows:
            return None
        groups = [(name, list(members)) for name, members in groupby(rows, key=self._group)]
        height = TOP + HEAD * len(groups) + ROW * len(rows) + FOOT
        left = labels_width(map(self._label, rows), least=LEFT_LEAST)
        drawing = Drawing(
            name=f"chart-{table['id']}",
            width=left + PLOT + RIGHT,
            height=height,
            title=table["title"],
            description=f"{len(rows)} estimates with intervals, in {self.unit}. The table has the same.",
        )
        scale = self._scale(rows, margin, left=left)
        _axis(drawing, scale, bottom=height - FOOT, margin=margin)
        self._foot(drawing, scale, height)
        y = float(TOP)
        for name, members in groups:
            drawing.text("plot-strong", 0, y + HEAD / 2, name)
            y += HEAD
            for row in members:
                self._row(drawing, scale, row, y + ROW / 2)
                y += ROW
        return drawing

    def _scale(self, rows: Sequence[Mapping[str, Any]], margin: float | None, *, left: float) -> Scale:
        if self.is_share:
            return share_scale(start=left, end=left + PLOT)
        names = (self.value, *INTERVALS[self.value], self.truth)
        values = [row[name] for row in rows for name in names if row.get(name) is not None]
        return scale_of([0.0, *values, *((margin, -margin) if margin else ())], start=left, end=left + PLOT)

    def _row(self, drawing: Drawing, scale: Scale, row: Mapping[str, Any], y: float) -> None:
        label, value, x = self._label(row), row[self.value], scale.place(row[self.value])
        text = _signed(value)
        drawing.text("plot-end", scale.start - 12, y, label)
        low, high = (row.get(end) for end in INTERVALS[self.value])
        if low is not None and high is not None:
            drawing.line("plot-whisker", scale.place(low), y, scale.place(high), y)
            text += f" ({_signed(low)} to {_signed(high)})"
        if (truth := row.get(self.truth)) is not None:
            drawing.dot("plot-hollow", scale.place(truth), y, r=6)
        kind = "plot-hollow" if row.get("is_retest") else "plot-dot"
        link = row.get("links", {}).get(self.value, "")
        tip = f"{self._group(row)}, {label}: {text} {self.unit}"
        drawing.dot(kind, x, y, link=link, tip=tip)
        drawing.text("plot-end", drawing.width, y, text)

    def _foot(self, drawing: Drawing, scale: Scale, height: float) -> None:
        below, above = self.ends
        y, zero = height - 8, scale.place(0)
        if below and scale.low < 0:
            drawing.text("plot-soft plot-small plot-end", zero - 8, y, f"← {below}")
        if above and scale.high > 0:
            drawing.text("plot-soft plot-small", zero + 8, y, f"{above} →")
        drawing.text("plot-soft plot-small plot-end", drawing.width, y, self.unit)

    def _group(self, row: Mapping[str, Any]) -> str:
        return self.group.format(**{name: _words(row, name) for name in row if f"{{{name}}}" in self.group})

    def _label(self, row: Mapping[str, Any]) -> str:
        return " ".join(_words(row, name) for name in self.label)


def _words(row: Mapping[str, Any], name: str) -> str:
    if name == "contrast":
        return contrast_label(row)
    return arm_label(row[name]) if name == "arm" else str(row[name])


def _axis(drawing: Drawing, scale: Scale, *, bottom: float, margin: float | None) -> None:
    if margin:
        left, right = scale.place(-margin), scale.place(margin)
        drawing.rect("plot-margin", left, TOP, right - left, bottom - TOP)
    for text, x in scale.ticks:
        drawing.line("plot-grid", x, TOP, x, bottom)
        drawing.text("plot-soft plot-middle", x, bottom + 12, text)
    zero = scale.place(0)
    drawing.line("plot-zero", zero, TOP, zero, bottom)


def _signed(value: float) -> str:
    """One decimal, with a minus and not a hyphen."""
    return f"{value:,.1f}".replace("-", "−")
