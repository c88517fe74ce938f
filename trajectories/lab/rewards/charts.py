"""What is paid over policy versions, as drawings that share their horizontal axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from trajectories.lab.reports.charts.drawing import Drawing
from trajectories.lab.reports.charts.scale import Scale, scale_of, step_of

WIDTH, HEIGHT = 560, 230
LEFT, RIGHT, TOP, BOTTOM = 58, 16, 16, 46
POINTS_MAX = 120
# The profile that is read, and the one beside it: they differ in more than colour.
LINES = (("plot-stroke-0", "plot-ink-0"), ("plot-stroke-1 plot-dashed", "plot-ink-1"))


class Point(NamedTuple):
    """The mean over so many episodes of one policy version."""

    version: int
    value: float
    episodes: int


def chart_of(
    name: str, title: str, lines: Mapping[str, Sequence[Point]], versions: Sequence[int]
) -> Drawing | None:
    """Lines by profile on an axis of all ``versions``; None where no line has two points."""
    thinned = {profile: _thinned(points) for profile, points in lines.items()}
    values = [point.value for points in thinned.values() for point in points]
    if not any(len(points) > 1 for points in thinned.values()):
        return None
    x = Scale(low=versions[0], high=versions[-1], step=1, start=LEFT, end=WIDTH - RIGHT)
    y = scale_of([0.0, *values], start=HEIGHT - BOTTOM, end=TOP)
    drawing = Drawing(
        name=f"chart-{name}",
        width=WIDTH,
        height=HEIGHT,
        title=f"{title} by policy version",
        description=f"Means of versions {versions[0]} to {versions[-1]}. The table has the same.",
    )
    _axes(drawing, x, y)
    for (stroke, ink), (profile, points) in zip(LINES, thinned.items(), strict=False):
        drawing.path(stroke, [(x.place(one.version), y.place(one.value)) for one in points])
        for one in points:
            tip = f"{profile}, version {one.version}: {one.value:.3g}, {one.episodes:,} episodes"
            drawing.dot(ink, x.place(one.version), y.place(one.value), r=3.5, tip=tip)
    return drawing


def _thinned(points: Sequence[Point]) -> list[Point]:
    """So many at most by version, and always the newest."""
    ordered = sorted(points)
    stride = -(-len(ordered) // POINTS_MAX) or 1
    return ordered[::-1][::stride][::-1]


def _axes(drawing: Drawing, x: Scale, y: Scale) -> None:
    for text, place in y.ticks:
        drawing.line("plot-grid", LEFT, place, WIDTH - RIGHT, place)
        drawing.text("plot-soft plot-end", LEFT - 6, place, text)
    if y.low < 0 < y.high:
        drawing.line("plot-zero", LEFT, y.place(0), WIDTH - RIGHT, y.place(0))
    size = max(round(step_of(x.high - x.low)), 1)
    for version in range(-(-int(x.low) // size) * size, int(x.high) + 1, size):
        drawing.text("plot-soft plot-middle", x.place(version), HEIGHT - BOTTOM + 16, str(version))
    drawing.text("plot-soft plot-small plot-end", WIDTH - RIGHT, HEIGHT - 9, "policy version")
