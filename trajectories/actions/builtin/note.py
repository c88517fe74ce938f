"""Keep a text for later turns."""

from __future__ import annotations

from trajectories.actions.registry import register
from trajectories.actions.rules import nothing_expected
from trajectories.actions.types import ActionType, Field

register(
    ActionType(
        id="note",
        description="Keep a text in mind: later turns show it again, whatever else they leave out.",
        rule=nothing_expected,
        needs=(),
        fields=(Field("text", "The text.", example="...", is_required=True),),
        object="text",
        verbs=("note", "remember"),
        is_passive=True,
        needs_page=False,
    )
)
