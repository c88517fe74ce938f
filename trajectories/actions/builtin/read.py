"""Read one part of the page, also one that the observation left out."""

from __future__ import annotations

from trajectories.actions.registry import register
from trajectories.actions.rules import nothing_expected
from trajectories.actions.types import ActionType, Field

register(
    ActionType(
        id="read",
        description="Read one section of the page whole, by its heading, its name or an element's id.",
        rule=nothing_expected,
        needs=("page", "outline"),
        fields=(
            Field("section", 'What it is called; "page" is all of it.', example="...", is_required=True),
            Field("part", "Which part of a long section."),
        ),
        object="section",
        verbs=("read",),
        is_passive=True,
    )
)
