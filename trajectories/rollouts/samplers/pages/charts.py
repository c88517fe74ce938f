"""Charts of what samplers drew and of the results."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.charts.scale import Scale, scale_of, share_scale

WIDTH, HEIGHT = 560, 244
LEFT, RIGHT, TOP, BOTTOM = 58, 16, 30, 46
LEGEND_WIDTH, LEGEND_Y = 110, 14
WIDE = 840
POINTS_MAX = 60
# Of a posterior: 90%.
QUANTILES = (0.05, 0.95)
# By the number of a chart's line: neighbours differ in more than colour.
LINES = (
    ("plot-stroke-0", "plot-ink-0"),
    ("plot-stroke-1 plot-dashed", "plot-ink-1"),
    ("plot-stroke-2", "plot-ink-2"),
    ("plot-stroke-3 plot-dashed", "plot-ink-3"),
)
DIFFICULTIES = ("easy", "middle", "hard", "unknown")

Summary = Mapping[str, Any]
Draws = Sequence[tuple[int, Summary]]
Points = Sequence[tuple[int, float, str]]


@dataclass(frozen=True, kw_only=True)
class Chart:
    id: str
    title: str
    note: str
    drawing: Drawing


def charts_of(draws: Draws) -> list[Chart]:
    """Return charts over a sampler's draws, by number: those with at least two points."""
    success = {name: _shares(draws, _success_of(name)) for name in DIFFICULTIES}
    budgets = [
        (number, float(summary["max_steps"][1]), f"draw {number}: {summary['max_steps'][1]} steps")
        for number, summary in draws
        if summary["max_steps"]
    ][:: math.ceil(len(draws) / POINTS_MAX) or 1]
    charts = [
        chart_of(
            "teaching",
            "Groups that teach",
            "share of completed groups whose rewards differ, since the draw before",
            {"Groups": _shares(draws, _teaching)},
            unit="%",
        ),
        chart_of(
            "difficulty",
            "Success by difficulty",
            "share of judged episodes that were correct, since the draw before",
            {name.title(): points for name, points in success.items() if points},
            unit="%",
        ),
        chart_of("horizon", "Step budget", "the greatest of each draw", {"Steps": budgets}, unit="steps"),
    ]
    return [chart for chart in charts if chart]


def draw_chart(items: Sequence[Mapping[str, Any]], *, band: tuple[float, float] | None) -> Drawing | None:
    """Draw the posterior means of one draw's tasks with 90% intervals, lowest first, and the band.

    None without posteriors.
    """
    from scipy.special import betaincinv

    known = sorted(
        (item for item in items if "posterior" in item["why"]), key=lambda item: item["why"]["mean"]
    )
    if not known:
        return None
    drawing = Drawing(
        name="draw-posteriors",
        width=WIDE,
        height=HEIGHT,
        title="Success of the tasks drawn, as it was known",
        description="Posterior means with 90% intervals, the lowest first. The table has the same means.",
    )
    scale = share_scale(start=HEIGHT - BOTTOM, end=TOP)
    right = WIDE - RIGHT
    if band is not None:
        low, high = (scale.place(100 * end) for end in band)
        drawing.rect("plot-margin", LEFT, high, right - LEFT, low - high)
    _values_axis(drawing, scale, right=right, unit="% success")
    for place, item in enumerate(known):
        x = LEFT + (place + 0.5) / len(known) * (right - LEFT)
        why = item["why"]
        ends = [100 * float(betaincinv(*why["posterior"], share)) for share in QUANTILES]
        drawing.line("plot-whisker", x, scale.place(ends[0]), x, scale.place(ends[1]))
        drawing.dot(
            "plot-hollow" if why["reason"] == "exploration" else "plot-dot",
            x,
            scale.place(100 * why["mean"]),
            link=f"/tasks/{item['task']}/",
            tip=f"Task {item['task']}, {why['reason']}: {why['mean']:.0%} ({ends[0]:.0f} to {ends[1]:.0f} %)",
        )
    drawing.text("plot-soft plot-small plot-end", right, HEIGHT - 9, "tasks of the draw")
    return drawing


def _teaching(summary: Summary) -> tuple[int, int]:
    # Older draws have no such count: they took every group that does not teach for degenerate.
    return summary.get("teaching", summary["groups"] - summary["degenerate"]), summary["groups"]


def _success_of(name: str) -> Callable[[Summary], tuple[int, int]]:
    def of(summary: Summary) -> tuple[int, int]:
        tally = summary["results"].get(name, {"correct": 0, "judged": 0})
        return tally["correct"], tally["judged"]

    return of


def _shares(draws: Draws, of: Callable[[Summary], tuple[int, int]]) -> Points:
    """Percentages by draw; of many draws, neighbours are added up."""
    stride = math.ceil(len(draws) / POINTS_MAX) or 1
    points = []
    for start in range(0, len(draws), stride):
        part = draws[start : start + stride]
        tallies = [of(summary) for _, summary in part]
        hits, total = (sum(column) for column in zip(*tallies, strict=True))
        if total:
            first, last = part[0][0], part[-1][0]
            where = f"draw {first}" if first == last else f"draws {first} to {last}"
            points.append((last, 100 * hits / total, f"{where}: {hits} of {total} ({hits / total:.0%})"))
    return points


def chart_of(id_: str, title: str, note: str, lines: Mapping[str, Points], *, unit: str) -> Chart | None:
    """Lines by name, at most four, over the numbers of draws; None with fewer than two draws."""
    numbers = sorted({number for points in lines.values() for number, _, _ in points})
    if len(numbers) < 2:
        return None
    x = Scale(low=numbers[0], high=numbers[-1], step=1, start=LEFT, end=WIDTH - RIGHT)
    values = [value for points in lines.values() for _, value, _ in points]
    span = {"start": HEIGHT - BOTTOM, "end": TOP}
    y = share_scale(**span) if unit == "%" else scale_of([0, *values], **span, within=(0, math.inf))
    drawing = Drawing(
        name=f"chart-{id_}",
        width=WIDTH,
        height=HEIGHT,
        title=f"{title} by draw",
        description=f"{note}; from draw {numbers[0]} to draw {numbers[-1]}.",
    )
    _values_axis(drawing, y, right=WIDTH - RIGHT, unit=unit)
    for number in (numbers[0], numbers[-1]):
        kind = "plot-soft" if number == numbers[0] else "plot-soft plot-end"
        drawing.text(kind, x.place(number), HEIGHT - BOTTOM + 16, f"draw {number}")
    for place, (name, points) in enumerate(lines.items()):
        stroke, ink = LINES[place]
        start = LEFT + place * LEGEND_WIDTH
        drawing.line(stroke, start, LEGEND_Y, start + 20, LEGEND_Y)
        drawing.text("", start + 26, LEGEND_Y, name)
        drawing.path(stroke, [(x.place(number), y.place(value)) for number, value, _ in points])
        for number, value, tip in points:
            drawing.dot(ink, x.place(number), y.place(value), r=3, tip=f"{name}, {tip}")
    return Chart(id=id_, title=title, note=note, drawing=drawing)


def _values_axis(drawing: Drawing, scale: Scale, *, right: float, unit: str) -> None:
    drawing.text("plot-soft plot-small plot-end", right, LEGEND_Y, unit)
    for text, y in scale.ticks:
        drawing.line("plot-grid", LEFT, y, right, y)
        drawing.text("plot-soft plot-end", LEFT - 6, y, text)
