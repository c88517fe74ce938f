"""The milestone of viewing a question's pictures enlarged."""

from __future__ import annotations

from itertools import pairwise

from palaestra.protocol.arms import ARMS
from tasks_app import kinds
from tasks_app.variation import get_tools
from trajectories.rewards.milestones._addresses import parameters_of
from trajectories.rewards.registry import milestone
from trajectories.rewards.types import Reading, Values

TOOL = "zoom"
LARGER = ("2", "3")


@milestone(
    "enlarged_figure",
    description="The question's pictures were shown enlarged, if the episode had the tool for that.",
    kinds=frozenset({kinds.PICTURE, kinds.CHOICE}),
)
def enlarged_figure(reading: Reading) -> Values | None:
    if not ARMS[reading.arm].has_page or TOOL not in get_tools(reading.variation):
        return None
    if not reading.payload.get("pictures"):
        return None
    for step, then in pairwise(reading.steps):
        if step.actor != "person" and parameters_of(then.page).get(TOOL) in LARGER:
            return Values(1.0, {step.index: 1.0})
    return Values(0.0)
