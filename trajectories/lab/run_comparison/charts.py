"""Lines of several runs over policy versions. The charts of a page share their axis of versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.charts.scale import Scale, share_scale
from trajectories.shell.charts.version_axes import axes_draw, versions_scale
from trajectories.shell.text.untrusted import cut, visible

WIDTH, HEIGHT = 720, 260
LEFT, RIGHT, TOP, BOTTOM = 48, 16, 16, 40
POINTS_MAX = 120
WHISKERS_MAX = 40
NAME_CHARS = 40

# A value in percent, and the ends of its interval if it has one.
Point = tuple[float, float | None, float | None]


@dataclass(frozen=True, kw_only=True)
class Line:
    """A run's values by policy version; ``number`` is its place among the runs and so its colour."""

    number: int
    name: str
    points: Mapping[int, Point]

    @property
    def shown(self) -> list[tuple[int, Point]]:
        """A limited number of versions, always including the newest."""
        versions = sorted(self.points)
        stride = -(-len(versions) // POINTS_MAX) or 1
        return [(version, self.points[version]) for version in versions[::-1][::stride][::-1]]


def chart_of(name: str, title: str, lines: Sequence[Line]) -> Drawing | None:
    """Draw the lines; None if no run has two versions."""
    if not any(len(line.points) > 1 for line in lines):
        return None
    versions = sorted({version for line in lines for version in line.points})
    drawing = Drawing(
        name=f"runs-{name}",
        width=WIDTH,
        height=HEIGHT,
        title=f"{title} by policy version",
        description=f"{len(lines)} runs, versions {versions[0]} to {versions[-1]}, in percent.",
    )
    x = versions_scale(versions, start=LEFT, end=WIDTH - RIGHT)
    y = share_scale(start=HEIGHT - BOTTOM, end=TOP)
    axes_draw(drawing, x, y, versions=versions, unit="%")
    for line in lines:
        _line(drawing, line, x, y)
    return drawing


def _line(drawing: Drawing, line: Line, x: Scale, y: Scale) -> None:
    shown = line.shown
    if not shown:
        return
    drawing.path(
        f"plot-stroke-{line.number}", [(x.place(version), y.place(value)) for version, (value, *_) in shown]
    )
    name = cut(visible(line.name), NAME_CHARS)
    for version, (value, low, high) in shown:
        place = x.place(version)
        between = ""
        if low is not None and high is not None:
            between = f" ({low:.1f} to {high:.1f})"
            if len(shown) <= WHISKERS_MAX:
                kind = f"plot-stroke-{line.number} plot-faint"
                drawing.line(kind, place, y.place(low), place, y.place(high))
        tip = f"{name}, version {version}: {value:.1f}%{between}"
        drawing.dot(f"plot-ink-{line.number}", place, y.place(value), r=3.5, tip=tip, data_version=version)
