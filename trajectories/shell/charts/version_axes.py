"""Axes of drawings over policy versions, which share their horizontal one."""

from __future__ import annotations

from collections.abc import Sequence

from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.charts.scale import Scale, step_of

LABEL_GAP = 6
TICK_BELOW = 16
TITLE_ABOVE_EDGE = 9


def versions_scale(versions: Sequence[int], *, start: float, end: float) -> Scale:
    """The axis from the first of the ascending ``versions`` to the last, with room beside one alone."""
    return Scale(low=versions[0], high=max(versions[-1], versions[0] + 1), step=1, start=start, end=end)


def axes_draw(drawing: Drawing, x: Scale, y: Scale, *, versions: Sequence[int], unit: str = "") -> None:
    """Lines at the ticks of ``y``, whose labels end in ``unit``, and the versions below them."""
    for text, place in y.ticks:
        drawing.line("plot-grid", x.start, place, x.end, place)
        drawing.text("plot-soft plot-end", x.start - LABEL_GAP, place, f"{text}{unit}")
    if y.low < 0 < y.high:
        drawing.line("plot-zero", x.start, y.place(0), x.end, y.place(0))
    for version in _ticks(versions):
        drawing.text("plot-soft plot-middle", x.place(version), y.start + TICK_BELOW, str(version))
    drawing.text("plot-soft plot-small plot-end", x.end, drawing.height - TITLE_ABOVE_EDGE, "policy version")


def _ticks(versions: Sequence[int]) -> Sequence[int]:
    low, high = versions[0], versions[-1]
    if high == low:
        return [low]
    size = max(round(step_of(high - low)), 1)
    return range(-(-low // size) * size, high + 1, size)
