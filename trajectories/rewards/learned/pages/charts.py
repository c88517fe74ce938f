"""The calibration chart of a learned reward."""

from __future__ import annotations

from collections.abc import Sequence

from trajectories.rewards.learned.types import CalibrationBin
from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.charts.scale import share_scale

WIDTH, HEIGHT = 560, 300
LEFT, RIGHT, TOP, BOTTOM = 58, 24, 16, 46
LABEL_GAP, TICK_BELOW, TITLE_ABOVE_EDGE = 6, 16, 9


def calibration_chart(bins: Sequence[CalibrationBin]) -> Drawing | None:
    """Draw shares of successes by mean score, beside the line of a calibrated model; None without tenths."""
    if not bins:
        return None
    x = share_scale(start=LEFT, end=WIDTH - RIGHT)
    y = share_scale(start=HEIGHT - BOTTOM, end=TOP)
    drawing = Drawing(
        name="calibration",
        width=WIDTH,
        height=HEIGHT,
        title="Successes by score",
        description="A tenth of the held-apart episodes each; on the dashed line it would be calibrated. "
        "The table has the same.",
    )
    for text, place in y.ticks:
        drawing.line("plot-grid", x.start, place, x.end, place)
        drawing.text("plot-soft plot-end", x.start - LABEL_GAP, place, f"{text}%")
    for text, place in x.ticks:
        drawing.text("plot-soft plot-middle", place, y.start + TICK_BELOW, f"{text}%")
    drawing.text("plot-soft plot-small plot-end", x.end, drawing.height - TITLE_ABOVE_EDGE, "mean score")
    drawing.path("plot-stroke-6 plot-dashed", [(x.start, y.start), (x.end, y.end)])
    points = [(x.place(100 * one.score), y.place(100 * one.share)) for one in bins]
    drawing.path("plot-stroke-0", points)
    for one, (across, up) in zip(bins, points, strict=True):
        tip = f"Score {one.score:.3f}: {one.share:.1%} of {one.episodes:,} episodes succeeded"
        drawing.dot("plot-ink-0", across, up, r=3.5, tip=tip)
    return drawing
