"""Line charts of values over versions, specified and drawn.

A version is a policy version, or the number of a sampler's draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.charts.scale import Scale, scale_of, share_scale, step_of

POINTS_MAX = 120
# With more points, the whiskers would touch each other.
WHISKERS_MAX = 60
LABEL_GAP, TICK_BELOW, TITLE_ABOVE_EDGE = 6, 16, 9
LEGEND_Y = 14
VERSION = "policy version"
T = TypeVar("T")


class Frame(NamedTuple):
    """Size of a drawing, and the margins around its axes, in pixels."""

    width: float = 560
    height: float = 244
    left: float = 58
    right: float = 16
    top: float = 30
    bottom: float = 46

    def versions_scale(self, versions: Sequence[int]) -> Scale:
        """Return the horizontal axis for the ascending ``versions``; a single one has room on both sides."""
        high = max(versions[-1], versions[0] + 1)
        return Scale(low=versions[0], high=high, step=1, start=self.left, end=self.width - self.right)

    def share_scale(self) -> Scale:
        """Return the vertical axis from 0 to 100 percent."""
        return share_scale(start=self.height - self.bottom, end=self.top)

    def scale_of(self, values: Iterable[float], **options: tuple[float, float]) -> Scale:
        """Return a vertical axis that spans these values; ``within`` is as in ``scale.scale_of``."""
        return scale_of(values, start=self.height - self.bottom, end=self.top, **options)


FRAME = Frame()


class Point(NamedTuple):
    """A value at a version, with the bounds of its interval if it has one. ``tip`` is its tooltip."""

    version: int
    value: float
    tip: str = ""
    low: float | None = None
    high: float | None = None
    link: str = ""


class Style(NamedTuple):
    """CSS classes for a line, its points, and their intervals, drawn as whiskers or as a band."""

    stroke: str
    ink: str
    whisker: str
    band: str = ""


def series_style(number: int, *, is_dashed: bool = False) -> Style:
    """Return the style of a chart's line ``number``. Dashes distinguish lines without relying on colour."""
    stroke = f"plot-stroke-{number} plot-dashed" if is_dashed else f"plot-stroke-{number}"
    return Style(stroke, f"plot-ink-{number}", f"{stroke} plot-faint")


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line through ``points``, whose versions ascend. ``name`` is its entry in the legend."""

    points: Sequence[Point]
    style: Style
    name: str = ""

    def draw(
        self,
        drawing: Drawing,
        x: Scale,
        y: Scale,
        *,
        whiskers_max: int = WHISKERS_MAX,
        r: float = 3.5,
        is_linked: bool = False,
    ) -> None:
        """Draw the line; whiskers are drawn only if there are at most ``whiskers_max`` points.

        With ``is_linked``, scripts can find the points of one version in all charts of a page.
        """
        has_whiskers = len(self.points) <= whiskers_max
        if self.style.band and not has_whiskers:
            known = [point for point in self.points if point.low is not None and point.high is not None]
            high = [(x.place(point.version), y.place(point.high or 0.0)) for point in known]
            low = [(x.place(point.version), y.place(point.low or 0.0)) for point in reversed(known)]
            drawing.area(self.style.band, high + low)
        if len(self.points) > 1:
            drawing.path(
                self.style.stroke, [(x.place(point.version), y.place(point.value)) for point in self.points]
            )
        for point in self.points:
            across = x.place(point.version)
            if has_whiskers and point.low is not None and point.high is not None:
                drawing.line(self.style.whisker, across, y.place(point.low), across, y.place(point.high))
            data = {"data_version": point.version} if is_linked else {}
            drawing.dot(
                self.style.ink, across, y.place(point.value), r=r, link=point.link, tip=point.tip, **data
            )


@dataclass(frozen=True, kw_only=True)
class LineChart:
    """Specification of a line chart, with ``lines`` over an axis of ascending ``versions``.

    ``values`` is the vertical axis, with ``unit`` written above it and ``tick_unit`` after each tick. If
    ``ends`` is set, only the first and last versions are labelled, and it is the word for a version.
    ``alarms`` are versions, each with a text. ``legend_width`` is the width of a legend's entry, 0 for a
    chart without a legend.
    """

    name: str
    title: str
    description: str
    lines: Sequence[Line]
    versions: Sequence[int]
    values: Scale
    frame: Frame = FRAME
    unit: str = ""
    tick_unit: str = ""
    ends: str = ""
    alarms: Sequence[tuple[int, str]] = ()
    legend_width: float = 0
    whiskers_max: int = WHISKERS_MAX
    r: float = 3.5
    is_linked: bool = False

    def draw(self) -> Drawing:
        """Draw the axes, then the alarms, then the lines one after another."""
        drawing = Drawing(
            name=self.name,
            width=self.frame.width,
            height=self.frame.height,
            title=self.title,
            description=self.description,
        )
        x, y = self.frame.versions_scale(self.versions), self.values
        if self.unit:
            drawing.text("plot-soft plot-small plot-end", x.end, LEGEND_Y, self.unit)
        grid_draw(drawing, x, y, unit=self.tick_unit)
        self._versions_draw(drawing, x)
        for version, words in self.alarms:
            across = x.place(version)
            drawing.line("plot-alarm", across, y.end, across, y.start, tip=words)
        for number, line in enumerate(self.lines):
            if self.legend_width and line.points:
                start = self.frame.left + number * self.legend_width
                drawing.line(line.style.stroke, start, LEGEND_Y, start + 20, LEGEND_Y)
                drawing.text("", start + 26, LEGEND_Y, line.name)
            line.draw(drawing, x, y, whiskers_max=self.whiskers_max, r=self.r, is_linked=self.is_linked)
        return drawing

    def _versions_draw(self, drawing: Drawing, x: Scale) -> None:
        below = self.values.start + TICK_BELOW
        first, last = self.versions[0], self.versions[-1]
        if self.ends:
            drawing.text("plot-soft", x.place(first), below, f"{self.ends} {first}")
            if last != first:
                drawing.text("plot-soft plot-end", x.place(last), below, f"{self.ends} {last}")
            return
        size = max(round(step_of(last - first)), 1) if last > first else 1
        for version in range(-(-first // size) * size, last + 1, size):
            drawing.text("plot-soft plot-middle", x.place(version), below, str(version))
        title_draw(drawing, x, VERSION)


def grid_draw(drawing: Drawing, x: Scale, y: Scale, *, unit: str = "", size: str = "") -> None:
    """Draw a grid line and a label at each tick of ``y``; labels have class ``size`` and end in ``unit``."""
    for text, height in y.ticks:
        drawing.line("plot-grid", x.start, height, x.end, height)
        drawing.text(f"plot-soft {size}plot-end", x.start - LABEL_GAP, height, f"{text}{unit}")
    if y.low < 0 < y.high:
        drawing.line("plot-zero", x.start, y.place(0), x.end, y.place(0))


def title_draw(drawing: Drawing, x: Scale, title: str) -> None:
    """Write the title of the horizontal axis."""
    drawing.text("plot-soft plot-small plot-end", x.end, drawing.height - TITLE_ABOVE_EDGE, title)


def thin(values: Sequence[T], *, most: int = POINTS_MAX) -> Sequence[T]:
    """Thin values out to at most ``most`` by keeping every n-th one, always including the last."""
    stride = -(-len(values) // most) or 1
    return values[::-1][::stride][::-1]
