"""The calibration chart of a learned reward."""

from __future__ import annotations

from collections.abc import Sequence

from trajectories.rewards.learned.types import CalibrationBin
from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.charts.lines import TICK_BELOW, Frame, grid_draw, title_draw
from trajectories.shell.charts.scale import share_scale

FRAME = Frame(height=300, right=24, top=16)


def calibration_chart(bins: Sequence[CalibrationBin]) -> Drawing | None:
    """Draw the share of successes by mean score and the ideal diagonal; None if there are no bins."""
    if not bins:
        return None
    x, y = share_scale(start=FRAME.left, end=FRAME.width - FRAME.right), FRAME.share_scale()
    drawing = Drawing(
        name="calibration",
        width=FRAME.width,
        height=FRAME.height,
        title="Successes by score",
        description="Each point is a tenth of the held-out episodes. A calibrated model's points are on the "
        "dashed line. The table has the same numbers.",
    )
    grid_draw(drawing, x, y, unit="%")
    for text, across in x.ticks:
        drawing.text("plot-soft plot-middle", across, y.start + TICK_BELOW, f"{text}%")
    title_draw(drawing, x, "mean score")
    drawing.path("plot-stroke-6 plot-dashed", [(x.start, y.start), (x.end, y.end)])
    points = [(x.place(100 * tenth.score), y.place(100 * tenth.share)) for tenth in bins]
    drawing.path("plot-stroke-0", points)
    for tenth, (across, up) in zip(bins, points, strict=True):
        tip = f"Score {tenth.score:.3f}: {tenth.share:.1%} of {tenth.episodes:,} episodes succeeded"
        drawing.dot("plot-ink-0", across, up, r=3.5, tip=tip)
    return drawing
