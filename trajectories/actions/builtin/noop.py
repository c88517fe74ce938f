"""Do nothing."""

from __future__ import annotations

from trajectories.actions.registry import register
from trajectories.actions.rules import nothing_expected
from trajectories.actions.types import ActionType

register(
    ActionType(id="noop", description="Do nothing.", rule=nothing_expected, needs=("never",), is_passive=True)
)
