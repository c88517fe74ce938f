"""Wait for some milliseconds."""

from __future__ import annotations

from trajectories.actions.registry import register
from trajectories.actions.rules import nothing_expected
from trajectories.actions.types import ActionType, Field

register(
    ActionType(
        id="wait",
        rule=nothing_expected,
        description="Wait for a moment.",
        fields=(Field("ms", "Milliseconds, at most 2000.", example=500),),
        object="ms",
        unit=" ms",
        verbs=("wait",),
        is_passive=True,
    )
)
