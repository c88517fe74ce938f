"""Move the mouse over an element or a position."""

from __future__ import annotations

from trajectories.actions.marks import place_of
from trajectories.actions.registry import register
from trajectories.actions.rules import nothing_expected
from trajectories.actions.types import ActionType, target, x, y

register(
    ActionType(
        id="hover",
        description="Move the mouse over an element without clicking.",
        rule=nothing_expected,
        aim="required",
        fields=(target(), x(), y()),
        verbs=("hover", "hover over"),
        marks=lambda action, _events, _scrolled: place_of(action),
        is_passive=True,
    )
)
