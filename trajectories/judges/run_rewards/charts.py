"""Charts of payments over policy versions, which share their horizontal axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.charts.scale import scale_of
from trajectories.shell.charts.version_axes import axes_draw, versions_scale

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
    x = versions_scale(versions, start=LEFT, end=WIDTH - RIGHT)
    y = scale_of([0.0, *values], start=HEIGHT - BOTTOM, end=TOP)
    drawing = Drawing(
        name=f"chart-{name}",
        width=WIDTH,
        height=HEIGHT,
        title=f"{title} by policy version",
        description=f"Means of versions {versions[0]} to {versions[-1]}. The table has the same.",
    )
    axes_draw(drawing, x, y, versions=versions)
    for (stroke, ink), (profile, points) in zip(LINES, thinned.items(), strict=False):
        drawing.path(stroke, [(x.place(one.version), y.place(one.value)) for one in points])
        for one in points:
            tip = f"{profile}, version {one.version}: {one.value:.3g}, {one.episodes:,} episodes"
            drawing.dot(ink, x.place(one.version), y.place(one.value), r=3.5, tip=tip)
    return drawing


def _thinned(points: Sequence[Point]) -> list[Point]:
    """Thin the points to a maximum number, always with the newest."""
    ordered = sorted(points)
    stride = -(-len(ordered) // POINTS_MAX) or 1
    return ordered[::-1][::stride][::-1]
