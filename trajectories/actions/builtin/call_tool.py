"""Call a tool of the task, where no page shows it."""

from __future__ import annotations

from trajectories.actions import rules
from trajectories.actions.registry import register
from trajectories.actions.types import ActionType, DeclaredStep, Field, Finding, PageRecord


def _rule(step: DeclaredStep, record: PageRecord) -> Finding:
    """A call is on the server's own record, also one that the tool cannot answer."""
    declared = str(step.field("tool"))
    if any(index == step.index and declared.startswith(tool) for index, tool in record.called):
        return Finding(kind="confirmed")
    return Finding(kind="no_effect", detail=rules.not_performed(step) or "no call was recorded")


register(
    ActionType(
        id="call_tool",
        description="Call a tool of the task; the next turn shows what it answers.",
        rule=_rule,
        rank=2,
        needs=("tools",),
        fields=(
            Field("tool", "Its name.", example="...", is_required=True),
            Field("arguments", "Its arguments, by their names.", example={"...": "..."}, is_required=True),
        ),
        object="tool",
        verbs=("call", "use the tool"),
        labels={"confirmed": "Called a tool", "no_effect": "No tool called"},
        is_passive=True,
        needs_page=False,
    )
)
