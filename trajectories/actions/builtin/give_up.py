"""End the episode without an answer."""

from __future__ import annotations

from trajectories.actions.registry import register
from trajectories.actions.rules import nothing_expected
from trajectories.actions.types import ActionType, Field

register(
    ActionType(
        id="give_up",
        description="End the task without an answer, which counts as incorrect.",
        rule=nothing_expected,
        needs=(),
        fields=(Field("reason", "Why.", example="..."),),
        object="reason",
        verbs=("give up",),
        is_passive=True,
        needs_page=False,
    )
)
