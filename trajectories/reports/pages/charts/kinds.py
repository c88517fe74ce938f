"""The tables that have a chart, each with its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from trajectories.reports.pages.charts.forest import Forest
from trajectories.reports.pages.charts.heat_map import items_draw
from trajectories.reports.pages.charts.panels import ladder_draw, versions_draw
from trajectories.shell.charts.drawing import Drawing

POINTS = "points of accuracy"
GAPS = Forest(value="gap", label=("contrast",), unit=POINTS, ends=("second arm better", "first arm better"))
RUNGS = Forest(value="gap", label=("rung",), unit=POINTS, ends=("gained", "lost"))
PLANTED = Forest(value="estimate", label=("quantity", "contrast"), unit="points of 100", truth="planted")
THOUGHTS = Forest(value="words", label=("arm",), unit="words per episode")


@dataclass(frozen=True, kw_only=True)
class Chart:
    """``caption`` says how to read it."""

    draw: Callable[..., Drawing | None]
    caption: str
    has_margin: bool = False


DISCORDANCE = Forest(
    value="gap", label=("contrast",), unit=POINTS, ends=("less than again", "lost by the page")
)
LOSSES = Forest(
    value="share", group="{benchmark}, {contrast}", label=("class",), unit="percent", is_share=True
)
FACTORS = Forest(
    value="effect",
    group="{benchmark}, {arm}",
    label=("factor", "level"),
    unit=POINTS,
    ends=("harmful", "helpful"),
)
TRANSFER = Forest(
    value="change",
    group="{run}: trained on {trained_on}, evaluated on {benchmark}: {checkpoints}",
    label=("arm",),
    unit=POINTS,
    ends=("fell", "rose"),
    beside=("beyond_text", "beyond text"),
)
CHARTS = {
    "planted": Chart(
        draw=PLANTED.draw, caption="Filled: the estimate with its interval. Hollow: what was planted."
    ),
    "gaps": Chart(
        draw=GAPS.draw,
        caption="Right of zero the first arm is better. Grey: within the plan's margin. Hollow: a retest.",
        has_margin=True,
    ),
    "accuracy": Chart(draw=ladder_draw, caption="The line follows the ladder. Hollow: arms beside it."),
    "rungs": Chart(draw=RUNGS.draw, caption="Right of zero accuracy is lost at the rung."),
    "thoughts": Chart(
        draw=THOUGHTS.draw,
        caption="Words of all thoughts of an episode; mean over episodes that are not void.",
    ),
    "discordance": Chart(
        draw=DISCORDANCE.draw,
        caption="Right of zero: items right as text are lost more often as a page than as text again.",
    ),
    "losses": Chart(draw=LOSSES.draw, caption="Shares of the episodes that were lost. Heuristic."),
    "look_factors": Chart(
        draw=FACTORS.draw,
        caption="Each value against the factor's neutral one. Right of zero: more is right in such looks.",
    ),
    "transfer": Chart(
        draw=TRANSFER.draw,
        caption=(
            "Filled: accuracy after training less accuracy before. Hollow, beyond text: the arm's change "
            "less that of text, on the items that both have."
        ),
    ),
    "versions": Chart(draw=versions_draw, caption="A gap closes where the lines of text and page meet."),
    "items": Chart(draw=items_draw, caption="A column is an item, hardest first. A cell opens its episodes."),
}


def chart_draw(table: Mapping[str, Any], *, margin: float | None = None) -> Drawing | None:
    """Draw a table's chart; None if such a table has none, or nothing to draw."""
    chart = CHARTS.get(table["id"])
    if chart is None:
        return None
    return chart.draw(table, margin=margin) if chart.has_margin else chart.draw(table)
