"""Wait for some milliseconds."""

from __future__ import annotations

from trajectories.actions.registry import register
from trajectories.actions.rules import nothing_expected
from trajectories.actions.types import ActionType

register(
    ActionType(
        id="wait",
        rule=nothing_expected,
        fields=("ms",),
        object="ms",
        unit=" ms",
        verbs=("wait",),
        is_passive=True,
    )
)
