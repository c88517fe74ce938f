"""Find a text on the page."""

from __future__ import annotations

from trajectories.actions.registry import register
from trajectories.actions.rules import nothing_expected
from trajectories.actions.types import ActionType, Field

register(
    ActionType(
        id="find",
        description="Find a text on the whole page: the lines that contain it, with their ids and sections.",
        rule=nothing_expected,
        needs=("page", "outline"),
        fields=(Field("text", "The text, in upper or lower case.", example="...", is_required=True),),
        object="text",
        verbs=("find", "look for"),
        is_passive=True,
    )
)
