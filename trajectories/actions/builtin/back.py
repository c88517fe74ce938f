"""Go back to the previous page."""

from __future__ import annotations

from palaestra.protocol.actions import ACTION_SPECS
from trajectories.actions.types import ActionType, DeclaredStep, Finding, PageRecord, register


def _rule(step: DeclaredStep, record: PageRecord) -> Finding:
    if record.served.get(step.index):
        return Finding(kind="confirmed")
    return Finding(kind="unknown", detail="a page restored from the browser's memory is not served again")


register(ActionType(spec=ACTION_SPECS["back"], rule=_rule, verbs=("go back",)))
