"""Do nothing."""

from __future__ import annotations

from trajectories.actions.registry import register
from trajectories.actions.rules import nothing_expected
from trajectories.actions.types import ActionType

register(ActionType(id="noop", rule=nothing_expected, is_passive=True))
