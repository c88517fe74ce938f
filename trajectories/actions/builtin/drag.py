"""Drag from one element or position to another."""

from __future__ import annotations

from palaestra.protocol.actions import ACTION_SPECS
from trajectories.actions import rules
from trajectories.actions.marks import place_of
from trajectories.actions.types import ActionType, DeclaredStep, Finding, PageRecord, register


def _rule(step: DeclaredStep, record: PageRecord) -> Finding:
    """Check a drag by the changes that pages report, such as a slider's value."""
    events = [event for event in record.events_of(step.index) if event.is_act]
    if rules.on_target(step, [event for event in events if event.kind == "input"]):
        return Finding(kind="confirmed", explained=events)
    return Finding(kind="unknown", detail="pages do not report dragging", explained=events)


register(
    ActionType(
        spec=ACTION_SPECS["drag"],
        rule=_rule,
        object="to_target",
        verbs=("drag", "move"),
        marks=lambda action, _events, _scrolled: place_of(action),
    )
)
