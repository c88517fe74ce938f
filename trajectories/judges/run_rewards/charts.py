"""Charts of payments by policy version, which share their horizontal axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from trajectories.shell.charts import lines as charts
from trajectories.shell.charts.drawing import Drawing

FRAME = charts.Frame(height=230, top=16)


class Point(NamedTuple):
    """The mean payment of one policy version, and the number of episodes behind it."""

    version: int
    value: float
    episodes: int


def chart_draw(
    name: str, title: str, lines: Mapping[str, Sequence[Point]], versions: Sequence[int]
) -> Drawing | None:
    """Draw one line per profile, the main profile first, over an axis of all ``versions``.

    Returns None if no line has two points.
    """
    thinned = {profile: charts.thin(sorted(points)) for profile, points in lines.items()}
    if not any(len(points) > 1 for points in thinned.values()):
        return None
    return charts.LineChart(
        name=f"chart-{name}",
        title=f"{title} by policy version",
        description=f"Means of versions {versions[0]} to {versions[-1]}. The table has the same figures.",
        versions=versions,
        values=FRAME.scale_of([0.0, *(point.value for points in thinned.values() for point in points)]),
        frame=FRAME,
        lines=[
            charts.Line(
                style=charts.series_style(place, is_dashed=place == 1),
                points=[
                    charts.Point(
                        number, value, f"{profile}, version {number}: {value:.3g}, {count:,} episodes"
                    )
                    for number, value, count in points
                ],
            )
            for place, (profile, points) in enumerate(thinned.items())
        ],
    ).draw()
