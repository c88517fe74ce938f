"""Small charts of stacked bars, specified and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trajectories.shell.charts.drawing import Drawing

WIDTH, HEIGHT = 360, 150
LEFT, RIGHT, TOP, BOTTOM = 36, 6, 8, 20
# Distances of labels from the axis, from the base line and from the lower edge.
LABEL_GAP, ABOVE_BASE, ABOVE_EDGE = 4, 4, 9
TICKS_MAX = 8


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A bar. ``parts`` pairs each shape's CSS class with its count, bottom first; ``tick`` is the label."""

    tip: str
    parts: Sequence[tuple[str, int]]
    tick: str = ""

    @property
    def total(self) -> int:
        return sum(count for _, count in self.parts)


@dataclass(frozen=True, kw_only=True)
class BarChart:
    """Specification of a bar chart. Bars show counts, scaled to the highest, and only a few ticks are
    labelled.

    With ``ends``, every bar is divided into shares of 100% instead, and the two words are the labels below
    the first and the last bar.
    """

    name: str
    title: str
    description: str
    bars: Sequence[Bar]
    ends: tuple[str, str] | None = None

    def draw(self) -> Drawing:
        drawing = Drawing(
            name=self.name, width=WIDTH, height=HEIGHT, title=self.title, description=self.description
        )
        highest, right, base = max(bar.total for bar in self.bars), WIDTH - RIGHT, HEIGHT - BOTTOM
        drawing.line("plot-grid", LEFT, TOP, right, TOP)
        if not self.ends:
            drawing.line("plot-zero", LEFT, base, right, base)
        drawing.text("plot-end", LEFT - LABEL_GAP, TOP, "100%" if self.ends else f"{highest:,}")
        drawing.text("plot-end", LEFT - LABEL_GAP, base - ABOVE_BASE, "0")
        step = (right - LEFT) / len(self.bars)
        stride = -(-len(self.bars) // TICKS_MAX)
        for number, bar in enumerate(self.bars):
            with drawing.group(bar.tip):
                self._bar(drawing, bar, LEFT + number * step, step, of=bar.total if self.ends else highest)
            if bar.tick and not number % stride:
                drawing.text("plot-middle", LEFT + (number + 0.5) * step, HEIGHT - ABOVE_EDGE, bar.tick)
        if self.ends:
            drawing.text("", LEFT, HEIGHT - ABOVE_EDGE, self.ends[0])
            drawing.text("plot-end", right, HEIGHT - ABOVE_EDGE, self.ends[1])
        return drawing

    def _bar(self, drawing: Drawing, bar: Bar, x: float, step: float, *, of: int) -> None:
        """Draw a bar with room on both sides; the whole axis stands for a count of ``of``."""
        x, width = x + min(1.0, step / 8), max(step - min(2.0, step / 4), 0.5)
        base, whole = float(HEIGHT - BOTTOM), HEIGHT - TOP - BOTTOM
        if not self.ends:
            drawing.rect("chart-hit", x, TOP, width, whole)
        for kind, count in bar.parts:
            if count:
                height = count * whole / of
                base -= height
                drawing.rect(kind, x, base, width, height)
