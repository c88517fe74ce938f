"""Line charts of several runs over policy versions. All charts of a page have the same version axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trajectories.shell.charts import lines as charts
from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.text.untrusted import cut, visible

FRAME = charts.Frame(width=720, height=260, left=48, top=16, bottom=40)
WHISKERS_MAX = 40
NAME_CHARS = 40

# A value in percent, and the bounds of its confidence interval if it has one.
Point = tuple[float, float | None, float | None]


@dataclass(frozen=True, kw_only=True)
class Line:
    """A run's values by policy version. ``number`` is its position among the runs, which sets its colour."""

    number: int
    name: str
    points: Mapping[int, Point]


def chart_draw(name: str, title: str, lines: Sequence[Line]) -> Drawing | None:
    """Draw a chart of the lines; return None if no run has at least two versions."""
    if not any(len(line.points) > 1 for line in lines):
        return None
    versions = sorted({version for line in lines for version in line.points})
    return charts.LineChart(
        name=f"runs-{name}",
        title=f"{title} by policy version",
        description=f"{len(lines)} runs, versions {versions[0]} to {versions[-1]}, in percent.",
        versions=versions,
        values=FRAME.share_scale(),
        frame=FRAME,
        tick_unit="%",
        whiskers_max=WHISKERS_MAX,
        is_linked=True,
        lines=[
            charts.Line(
                style=charts.series_style(line.number),
                points=[_point(line, version) for version in charts.thin(sorted(line.points))],
            )
            for line in lines
        ],
    ).draw()


def _point(line: Line, version: int) -> charts.Point:
    value, low, high = line.points[version]
    between = "" if low is None else f" ({low:.1f} to {high:.1f})"
    tip = f"{cut(visible(line.name), NAME_CHARS)}, version {version}: {value:.1f}%{between}"
    return charts.Point(version, value, tip, low, high)
