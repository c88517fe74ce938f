"""Click an element, or a point of the screenshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trajectories.actions import marks, rules
from trajectories.actions.marks import Marks, Offset
from trajectories.actions.registry import register
from trajectories.actions.types import ActionType, DeclaredStep, Finding, PageRecord, ReportedEvent

POINT_PX = 2


def _rule(step: DeclaredStep, record: PageRecord) -> Finding:
    events = record.events_of(step.index)
    clicks = [event for event in events if event.kind == "click"]
    if not clicks:
        return Finding(kind="missing", detail="no page recorded a click: it hit nothing")
    hits = [event for event in clicks if _is_hit(step, event)]
    if not hits:
        target = rules.target_of(step) or "the given point"
        detail = f"{rules.event_description(clicks[0])}, not on {target}"
        return Finding(kind="different_effect", detail=detail, explained=events)
    # A click on a label is a click on its control too, and either may submit a form or change a field.
    effects = [event for event in events if event.kind in ("input", "submit")]
    return Finding(kind="confirmed", explained=[*hits, *effects])


def _is_hit(step: DeclaredStep, event: ReportedEvent) -> bool:
    if step.target_path or rules.target_of(step) is not None:
        return rules.is_on_target(step, event)
    values = (step.field("x"), event.data.get("x"), step.field("y"), event.data.get("y"))
    x, reported_x, y, reported_y = (marks.number(value, most=rules.FAR_PX) for value in values)
    if x is None or y is None or reported_x is None or reported_y is None:
        return True  # nothing says where it should have gone
    return abs(x - reported_x) <= POINT_PX and abs(y - reported_y) <= POINT_PX


def _marks(action: Mapping[str, Any], events: Sequence[ReportedEvent], scrolled: Offset) -> Marks:
    click = next((event for event in events if event.kind == "click"), None)
    if click is None:
        return Marks(point=marks.point_of(action))
    offset = marks.shift(click.data, kind="click", scrolled=scrolled)
    return Marks(point=marks.point_of(click.data, offset), box=marks.box_of(click.data, offset))


register(
    ActionType(
        id="click",
        rule=_rule,
        fields=("target", "x", "y"),
        verbs=("click", "press", "click on"),
        marks=_marks,
    )
)
