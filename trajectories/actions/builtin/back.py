"""Go back to the previous page."""

from __future__ import annotations

from trajectories.actions.registry import register
from trajectories.actions.types import ActionType, DeclaredStep, Finding, PageRecord


def _rule(step: DeclaredStep, record: PageRecord) -> Finding:
    if record.served.get(step.index):
        return Finding(kind="confirmed")
    return Finding(kind="unknown", detail="a page restored from the browser's memory is not served again")


register(ActionType(id="back", description="Go back to the previous page.", rule=_rule, verbs=("go back",)))
