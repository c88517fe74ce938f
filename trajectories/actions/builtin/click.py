"""Click an element, or a point of the screenshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from palaestra.protocol.actions import ACTION_SPECS
from trajectories.actions import marks, rules
from trajectories.actions.marks import Marks, Offset
from trajectories.actions.types import ActionType, DeclaredStep, Finding, PageRecord, ReportedEvent, register

POINT_PX = 2
OTHER_BUTTONS = ("right", "middle")


def _rule(step: DeclaredStep, record: PageRecord) -> Finding:
    events = record.events_of(step.index)
    clicks = [event for event in events if event.kind == "click"]
    if not clicks and step.field("button") in OTHER_BUTTONS:
        return Finding(kind="unknown", detail="pages do not report other buttons of the mouse")
    if not clicks:
        return Finding(kind="missing", detail="no page recorded a click: it hit nothing")
    hits = [event for event in clicks if _is_hit(step, event)]
    if not hits:
        named = rules.target_of(step) or "the given point"
        detail = f"{rules.event_description(clicks[0])}, not on {named}"
        return Finding(kind="different_effect", detail=detail, explained=events)
    # A click on a label is a click on its control too, and either may submit a form or change a field.
    effects = [event for event in events if event.kind in ("input", "submit")]
    return Finding(kind="confirmed", explained=[*hits, *effects])


def _is_hit(step: DeclaredStep, event: ReportedEvent) -> bool:
    if step.target_path or rules.target_of(step) is not None:
        return rules.is_on_target(step, event)
    values = (step.field("x"), event.data.get("x"), step.field("y"), event.data.get("y"))
    left, reported_left, top, reported_top = (marks.number(value, most=rules.FAR_PX) for value in values)
    if left is None or top is None or reported_left is None or reported_top is None:
        return True  # Without a known target, no click can miss it.
    return abs(left - reported_left) <= POINT_PX and abs(top - reported_top) <= POINT_PX


def _marks(action: Mapping[str, Any], events: Sequence[ReportedEvent], scrolled: Offset) -> Marks:
    click = next((event for event in events if event.kind == "click"), None)
    if click is None:
        return marks.place_of(action)
    offset = marks.shift(click.data, kind="click", scrolled=scrolled)
    return Marks(point=marks.find_point(click.data, offset), box=marks.find_box(click.data, offset))


def _manner(action: Mapping[str, Any]) -> str:
    button = action.get("button")
    words = [f"{button} button"] if button in OTHER_BUTTONS else []
    return ", ".join([*words, "double"] if action.get("double") is True else words)


register(
    ActionType(
        spec=ACTION_SPECS["click"],
        rule=_rule,
        manner=_manner,
        verbs=("click", "press", "click on"),
        marks=_marks,
    )
)
