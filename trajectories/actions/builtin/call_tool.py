"""Call a tool of the task, where no page shows it."""

from __future__ import annotations

from trajectories.actions.registry import register
from trajectories.actions.rules import nothing_expected
from trajectories.actions.types import ActionType, Field

register(
    ActionType(
        id="call_tool",
        description="Call a tool of the task; the next turn shows what it answers.",
        rule=nothing_expected,
        rank=2,
        needs=("tools",),
        fields=(
            Field("tool", "Its name.", example="...", is_required=True),
            Field("arguments", "Its arguments, by their names.", example={"...": "..."}, is_required=True),
        ),
        object="tool",
        verbs=("call", "use the tool"),
        is_passive=True,
        needs_page=False,
    )
)
