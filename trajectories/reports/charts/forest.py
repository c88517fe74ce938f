"""Forest plots: grouped rows of estimates with intervals, such as gaps, rungs or effects of looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from trajectories.reports.labels import interval_of, label_of, link_of
from trajectories.shell.charts.drawing import Drawing, labels_width
from trajectories.shell.charts.scale import Scale, scale_of, share_scale
from trajectories.shell.text.values import numeral

LEFT_LEAST, PLOT, RIGHT = 150, 370, 150
TOP, HEAD, ROW, FOOT = 6, 24, 22, 40
ONE_DECIMAL = ",.1f"
POINTS_OF_ACCURACY = "points of accuracy"


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A value to draw; ``ends`` are the ends of its interval, or empty if it has none."""

    group: str
    label: str
    value: float
    ends: Sequence[float]
    truth: float | None
    kind: str
    link: str


@dataclass(frozen=True, kw_only=True)
class Forest:
    """The specification of a table's forest plot.

    There is a row per ``label``, under headings of the format ``group``. ``ends`` name what lies left and
    right of zero. ``is_share`` fixes the axis to 0 to 100%. ``truth`` is the column of a known value, which
    is drawn hollow. ``beside`` has the column and the label of a second value with an interval, which is
    drawn hollow in a row of its own.
    """

    value: str
    group: str = "{benchmark}"
    label: Sequence[str]
    unit: str
    ends: tuple[str, str] = ("", "")
    is_share: bool = False
    truth: str = ""
    beside: tuple[str, str] = ("", "")

    def draw(self, table: Mapping[str, Any], *, margin: float | None = None) -> Drawing | None:
        """Draw the table, with ``margin`` as a band around zero, or return None if it has no values."""
        marks = [mark for row in table["rows"] for mark in self._marks(row)]
        if not marks:
            return None
        groups = [(name, list(members)) for name, members in groupby(marks, key=lambda mark: mark.group)]
        height = TOP + HEAD * len(groups) + ROW * len(marks) + FOOT
        left = labels_width((mark.label for mark in marks), least=LEFT_LEAST)
        drawing = Drawing(
            name=f"chart-{table['id']}",
            width=left + PLOT + RIGHT,
            height=height,
            title=table["title"],
            description=f"{len(marks)} estimates with intervals, in {self.unit}. The table has the same.",
        )
        scale = self._scale(marks, margin, left=left)
        self._foot(drawing, scale, height)
        y = float(TOP)
        for name, members in groups:
            drawing.text("plot-strong", 0, y + HEAD / 2, name)
            y += HEAD
            _lines(drawing, scale, top=y, bottom=y + ROW * len(members), margin=margin)
            for mark in members:
                self._row(drawing, scale, mark, y + ROW / 2)
                y += ROW
        return drawing

    def _marks(self, row: Mapping[str, Any]) -> Iterator[Mark]:
        label = " ".join(label_of(row, name) for name in self.label)
        beside, words = self.beside
        for column, name in ((self.value, label), (beside, f"{label}, {words}")):
            if row.get(column) is not None:
                ends = [end for end in interval_of(row, column) if end is not None]
                is_hollow = column == beside or bool(row.get("is_retest"))
                yield Mark(
                    group=self._group(row),
                    label=name,
                    value=row[column],
                    ends=ends,
                    truth=row.get(self.truth),
                    kind="plot-hollow" if is_hollow else "plot-dot",
                    link=link_of(row, column),
                )

    def _scale(self, marks: Sequence[Mark], margin: float | None, *, left: float) -> Scale:
        if self.is_share:
            return share_scale(start=left, end=left + PLOT)
        values = [value for mark in marks for value in (mark.value, *mark.ends, mark.truth)]
        known = [value for value in values if value is not None]
        return scale_of([0.0, *known, *((margin, -margin) if margin else ())], start=left, end=left + PLOT)

    def _row(self, drawing: Drawing, scale: Scale, mark: Mark, y: float) -> None:
        text = numeral(mark.value, ONE_DECIMAL)
        drawing.text("plot-end", scale.start - 12, y, mark.label)
        if mark.ends:
            low, high = mark.ends
            drawing.line("plot-whisker", scale.place(low), y, scale.place(high), y)
            text += f" ({numeral(low, ONE_DECIMAL)} to {numeral(high, ONE_DECIMAL)})"
        if mark.truth is not None:
            drawing.dot("plot-hollow", scale.place(mark.truth), y, r=6)
        tip = f"{mark.group}, {mark.label}: {text} {self.unit}"
        drawing.dot(mark.kind, scale.place(mark.value), y, link=mark.link, tip=tip)
        drawing.text("plot-end", drawing.width, y, text)

    def _foot(self, drawing: Drawing, scale: Scale, height: float) -> None:
        for text, x in scale.ticks:
            drawing.text("plot-soft plot-middle", x, height - FOOT + 12, text)
        below, above = self.ends
        y, zero = height - 8, scale.place(0)
        if below and scale.low < 0:
            drawing.text("plot-soft plot-small plot-end", zero - 8, y, f"← {below}")
        if above and scale.high > 0:
            drawing.text("plot-soft plot-small", zero + 8, y, f"{above} →")
        drawing.text("plot-soft plot-small plot-end", drawing.width, y, self.unit)

    def _group(self, row: Mapping[str, Any]) -> str:
        return self.group.format(**{name: label_of(row, name) for name in row if f"{{{name}}}" in self.group})


def _lines(drawing: Drawing, scale: Scale, *, top: float, bottom: float, margin: float | None) -> None:
    """Draw the grid lines behind a group's rows, but not behind its heading, which they would strike out."""
    if margin:
        left, right = scale.place(-margin), scale.place(margin)
        drawing.rect("plot-margin", left, top, right - left, bottom - top)
    for _, x in scale.ticks:
        drawing.line("plot-grid", x, top, x, bottom)
    zero = scale.place(0)
    drawing.line("plot-zero", zero, top, zero, bottom)
