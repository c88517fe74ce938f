"""The mean reward by policy version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.statistics import Rate
from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.charts.lines import POINTS_MAX, Frame, Line, LineChart, Point, Style, thin
from trajectories.shell.charts.scale import Scale

FRAME = Frame(width=640, height=200, left=40, right=12, top=12, bottom=26)


@dataclass(frozen=True, kw_only=True)
class RewardPlot:
    """The mean rewards of every ``stride``-th version, in ascending order. The newest is always included."""

    rates: Sequence[tuple[int, Rate]]
    stride: int

    @property
    def drawing(self) -> Drawing:
        first, newest = (
            f"{rate.value:.2f} at version {version} ({rate.low:.2f} to {rate.high:.2f})"
            for version, rate in (self.rates[0], self.rates[-1])
        )
        points = [Point(version, rate.value, "", rate.low, rate.high) for version, rate in self.rates]
        style = Style("plot-line", "plot-dot", "plot-whisker", band="plot-band")
        return LineChart(
            name="plot",
            title="Mean reward by policy version",
            description=f"From {first} to {newest}. All values are in the table below.",
            lines=[Line(points=points, style=style)],
            versions=[version for version, _ in self.rates],
            values=Scale(low=0, high=1, step=0.5, start=FRAME.height - FRAME.bottom, end=FRAME.top),
            frame=FRAME,
            ends="version",
            r=3,
        ).draw()


def reward_plot(rates: Mapping[int, Rate]) -> RewardPlot | None:
    """Build the plot, or return None unless an episode with a policy version was judged."""
    if not rates:
        return None
    stride = -(-len(rates) // POINTS_MAX)
    return RewardPlot(rates=thin(sorted(rates.items())), stride=stride)
