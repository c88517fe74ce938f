"""Several actions in one turn."""

from __future__ import annotations

import msgspec

from palaestra.protocol.actions import ACTION_SPECS
from trajectories.actions import types
from trajectories.actions.types import ActionType, DeclaredStep, Finding, PageRecord, register

ACTIONS_MAX = 100


def _parts(step: DeclaredStep) -> list[DeclaredStep]:
    """Return one step for each action; their targets can be compared only by role and name."""
    actions = step.field("actions")
    listed = actions[:ACTIONS_MAX] if isinstance(actions, list) else []
    return [
        msgspec.structs.replace(step, action=action, target_path="")
        for action in listed
        if isinstance(action, dict) and action.get("type") != step.type
    ]


def _rule(step: DeclaredStep, record: PageRecord) -> Finding:
    """Confirm a sequence if any of its actions is confirmed.

    Actions that come after one that led to another page are not performed, so not all of them can be
    expected.
    """
    findings = []
    for part in _parts(step):
        kind = types.find(part.type)
        findings.append(kind.rule(part, record) if kind else Finding(kind="unknown"))
    if not findings:
        return Finding(kind="none", detail="the sequence has no actions")
    decisive = next((finding for finding in findings if finding.kind == "confirmed"), findings[0])
    return Finding(kind=decisive.kind, detail=decisive.detail, explained=record.events_of(step.index))


register(ActionType(spec=ACTION_SPECS["sequence"], rule=_rule, object="actions"))
