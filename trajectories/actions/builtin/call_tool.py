"""Call a task's tool in an arm without a page that shows it."""

from __future__ import annotations

from palaestra.protocol.actions import ACTION_SPECS
from trajectories.actions import rules
from trajectories.actions.types import ActionType, DeclaredStep, Finding, PageRecord, register


def _rule(step: DeclaredStep, record: PageRecord) -> Finding:
    """Check a call against the server's own record, which includes calls that the tool could not answer."""
    declared = str(step.field("tool"))
    if any(index == step.index and declared.startswith(tool) for index, tool in record.called):
        return Finding(kind="confirmed")
    return Finding(kind="no_effect", detail=rules.not_performed(step) or "no call was recorded")


register(
    ActionType(
        spec=ACTION_SPECS["call_tool"],
        rule=_rule,
        object="tool",
        verbs=("call", "use the tool"),
        labels={"confirmed": "Called a tool", "no_effect": "No tool called"},
        is_passive=True,
        needs_page=False,
    )
)
