"""Drag from one element or position to another."""

from __future__ import annotations

from trajectories.actions import rules
from trajectories.actions.marks import place_of
from trajectories.actions.registry import register
from trajectories.actions.types import (
    ID_OPEN,
    ActionType,
    DeclaredStep,
    Field,
    Finding,
    PageRecord,
    target,
    x,
    y,
)


def _rule(step: DeclaredStep, record: PageRecord) -> Finding:
    """Pages report a drag by what it changes, such as the value of a slider."""
    events = [event for event in record.events_of(step.index) if event.is_act]
    if rules.on_target(step, [event for event in events if event.kind == "input"]):
        return Finding(kind="confirmed", explained=events)
    return Finding(kind="unknown", detail="pages do not report dragging", explained=events)


register(
    ActionType(
        id="drag",
        description="Press the mouse on one element, move it to another and release it there.",
        rule=_rule,
        aim="required",
        fields=(
            target("Id of the element to begin on."),
            Field("to_target", "Id of the element to end on.", needs="ids", example=ID_OPEN),
            x("Pixels from the left edge of the picture, where to begin."),
            y("Pixels from the top edge of the picture, where to begin."),
            Field("to_x", "Pixels from the left edge, where to end.", needs="positions", example=820),
            Field("to_y", "Pixels from the top edge, where to end.", needs="positions", example=360),
        ),
        object="to_target",
        verbs=("drag", "move"),
        marks=lambda action, _events, _scrolled: place_of(action),
    )
)
