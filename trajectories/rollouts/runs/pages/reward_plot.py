"""The mean reward by policy version, as coordinates in an SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.statistics import Rate

WIDTH, HEIGHT = 640, 200
LEFT, RIGHT, TOP, BOTTOM = 40, 12, 12, 26
POINTS_MAX = 120
WHISKERS_MAX = 60


@dataclass(frozen=True, kw_only=True)
class Point:
    """The mean reward of one policy version; ``low_y`` lies below ``high_y``."""

    version: int
    rate: Rate
    x: str
    y: str
    low_y: str
    high_y: str


@dataclass(frozen=True, kw_only=True)
class Plot:
    """Plot of every ``stride``-th version, always including the newest.

    ``line`` and ``band`` are SVG points; a band replaces whiskers that would touch each other.
    """

    points: Sequence[Point]
    stride: int
    line: str
    band: str
    ticks: Sequence[tuple[str, str]]
    has_whiskers: bool

    @property
    def first(self) -> Point:
        return self.points[0]

    @property
    def newest(self) -> Point:
        return self.points[-1]


def reward_plot(rates: Mapping[int, Rate]) -> Plot | None:
    """Build the plot; None unless an episode with a policy version was judged."""
    versions = sorted(rates)
    if not versions:
        return None
    stride = -(-len(versions) // POINTS_MAX)
    shown = versions[::-1][::stride][::-1]
    span = max(shown[-1] - shown[0], 1)
    points = [_point(version, rates[version], share=(version - shown[0]) / span) for version in shown]
    low = " ".join(f"{point.x},{point.low_y}" for point in reversed(points))
    high = " ".join(f"{point.x},{point.high_y}" for point in points)
    has_whiskers = len(points) <= WHISKERS_MAX
    return Plot(
        points=points,
        stride=stride,
        line=" ".join(f"{point.x},{point.y}" for point in points),
        band="" if has_whiskers else f"{high} {low}",
        ticks=[(f"{share:.1f}", _y(share)) for share in (0.0, 0.5, 1.0)],
        has_whiskers=has_whiskers,
    )


def _point(version: int, rate: Rate, *, share: float) -> Point:
    x = LEFT + share * (WIDTH - LEFT - RIGHT)
    return Point(
        version=version, rate=rate, x=f"{x:.1f}", y=_y(rate.value), low_y=_y(rate.low), high_y=_y(rate.high)
    )


def _y(share: float) -> str:
    return f"{TOP + (1 - share) * (HEIGHT - TOP - BOTTOM):.1f}"
