"""Charts of what samplers drew and of the results."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scipy.special import betaincinv

from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.charts.lines import (
    FRAME,
    LEGEND_Y,
    Frame,
    Line,
    LineChart,
    Point,
    grid_draw,
    series_style,
    title_draw,
)
from trajectories.shell.charts.scale import Scale

WIDE = Frame(width=840)
LEGEND_WIDTH = 110
POINTS_MAX = 60
# The ends of the 90% interval of a posterior.
QUANTILES = (0.05, 0.95)
DIFFICULTIES = ("easy", "middle", "hard", "unknown")

Summary = Mapping[str, Any]
Draws = Sequence[tuple[int, Summary]]


@dataclass(frozen=True, kw_only=True)
class Chart:
    id: str
    title: str
    note: str
    drawing: Drawing


def charts_of(draws: Draws) -> list[Chart]:
    """Return the charts of a sampler's draws, by draw number, that have at least two points."""
    success = {name: _shares(draws, _success_of(name)) for name in DIFFICULTIES}
    budgets = [
        Point(number, float(summary["max_steps"][1]), f"draw {number}: {summary['max_steps'][1]} steps")
        for number, summary in draws
        if summary["max_steps"]
    ][:: math.ceil(len(draws) / POINTS_MAX) or 1]
    charts = [
        chart_draw(
            "teaching",
            "Groups that teach",
            "share with differing rewards among groups completed since the previous draw",
            {"Groups": _shares(draws, _teaching)},
            unit="%",
        ),
        chart_draw(
            "difficulty",
            "Success by difficulty",
            "share of correct episodes among those judged since the previous draw",
            {name.title(): points for name, points in success.items() if points},
            unit="%",
        ),
        chart_draw("horizon", "Step budget", "the largest of each draw", {"Steps": budgets}, unit="steps"),
    ]
    return [chart for chart in charts if chart]


def posteriors_draw(
    items: Sequence[Mapping[str, Any]], *, band: tuple[float, float] | None
) -> Drawing | None:
    """Draw the posterior means of one draw's tasks with 90% intervals, lowest first, and the band.

    Returns None if there are no posteriors.
    """
    known = sorted(
        (item for item in items if "posterior" in item["why"]), key=lambda item: item["why"]["mean"]
    )
    if not known:
        return None
    drawing = Drawing(
        name="draw-posteriors",
        width=WIDE.width,
        height=WIDE.height,
        title="Success of the drawn tasks, as known at the time",
        description="Posterior means with 90% intervals, lowest first. The table has the same means.",
    )
    # Each task is centred in its slot on the x axis.
    x = Scale(low=0, high=len(known), step=1, start=WIDE.left, end=WIDE.width - WIDE.right)
    y = WIDE.share_scale()
    if band is not None:
        low, high = (y.place(100 * end) for end in band)
        drawing.rect("plot-margin", x.start, high, x.end - x.start, low - high)
    drawing.text("plot-soft plot-small plot-end", x.end, LEGEND_Y, "% success")
    grid_draw(drawing, x, y)
    for number, item in enumerate(known):
        _posterior_draw(drawing, item, x.place(number + 0.5), y)
    title_draw(drawing, x, "tasks of this draw")
    return drawing


def _posterior_draw(drawing: Drawing, item: Mapping[str, Any], across: float, y: Scale) -> None:
    why = item["why"]
    low, high = (100 * float(betaincinv(*why["posterior"], share)) for share in QUANTILES)
    drawing.line("plot-whisker", across, y.place(low), across, y.place(high))
    drawing.dot(
        "plot-hollow" if why["reason"] == "exploration" else "plot-dot",
        across,
        y.place(100 * why["mean"]),
        link=f"/tasks/{item['task']}/",
        tip=f"Task {item['task']}, {why['reason']}: {why['mean']:.0%} ({low:.0f} to {high:.0f} %)",
    )


def _teaching(summary: Summary) -> tuple[int, int]:
    # Older draws lack this count, because they counted every group that does not teach as degenerate.
    return summary.get("teaching", summary["groups"] - summary["degenerate"]), summary["groups"]


def _success_of(name: str) -> Callable[[Summary], tuple[int, int]]:
    def of(summary: Summary) -> tuple[int, int]:
        tally = summary["results"].get(name, {"correct": 0, "judged": 0})
        return tally["correct"], tally["judged"]

    return of


def _shares(draws: Draws, of: Callable[[Summary], tuple[int, int]]) -> list[Point]:
    """Return percentages by draw. If there are many draws, neighbouring ones are added up."""
    stride = math.ceil(len(draws) / POINTS_MAX) or 1
    points = []
    for start in range(0, len(draws), stride):
        part = draws[start : start + stride]
        tallies = [of(summary) for _, summary in part]
        hits, total = (sum(column) for column in zip(*tallies, strict=True))
        if total:
            first, last = part[0][0], part[-1][0]
            where = f"draw {first}" if first == last else f"draws {first} to {last}"
            points.append(Point(last, 100 * hits / total, f"{where}: {hits} of {total} ({hits / total:.0%})"))
    return points


def chart_draw(
    id_: str, title: str, note: str, lines: Mapping[str, Sequence[Point]], *, unit: str
) -> Chart | None:
    """Draw up to four lines by name over the draws' numbers, or return None for fewer than two draws."""
    numbers = sorted({point.version for points in lines.values() for point in points})
    if len(numbers) < 2:
        return None
    values = [point.value for points in lines.values() for point in points]
    chart = LineChart(
        name=f"chart-{id_}",
        title=f"{title} by draw",
        description=f"{note}; from draw {numbers[0]} to draw {numbers[-1]}.",
        versions=numbers,
        values=FRAME.share_scale() if unit == "%" else FRAME.scale_of([0, *values], within=(0, math.inf)),
        unit=unit,
        ends="draw",
        legend_width=LEGEND_WIDTH,
        r=3,
        lines=[
            Line(
                name=name,
                style=series_style(number, is_dashed=number % 2 == 1),
                points=[point._replace(tip=f"{name}, {point.tip}") for point in points],
            )
            for number, (name, points) in enumerate(lines.items())
        ],
    )
    return Chart(id=id_, title=title, note=note, drawing=chart.draw())
