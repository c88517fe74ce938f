"""Press a key, or a combination such as Shift+Tab."""

from __future__ import annotations

import re

from palaestra.protocol.actions import ACTION_SPECS
from trajectories.actions import rules
from trajectories.actions.types import ActionType, DeclaredStep, Finding, PageRecord, register

# The keys that pages report; all others are text.
NAMED_KEY = re.compile(r"Enter|Escape|Tab|Backspace|Delete|Home|End|Page(Up|Down)|Arrow(Up|Down|Left|Right)")


def _rule(step: DeclaredStep, record: PageRecord) -> Finding:
    events = record.events_of(step.index)
    combination = str(step.field("key") or "")
    key = combination.rpartition("+")[2] or combination
    keys = [event for event in events if event.kind == "key"]
    pressed = [event for event in keys if event.data.get("key") == key]
    if pressed:
        if not rules.on_target(step, pressed):
            return rules.elsewhere(step, pressed[0], record)
        # Enter submits a form, which also clicks its button, and arrow keys change fields.
        explained = [event for event in events if event.kind != "key" or event in pressed]
        return Finding(kind="confirmed", explained=explained)
    if NAMED_KEY.fullmatch(key):
        if keys:
            detail = f"{rules.event_description(keys[0])}, not {key}"
            return Finding(kind="different_effect", detail=detail, explained=events)
        return Finding(kind="missing", detail="no page recorded the key")
    if any(event.kind in ("input", "click") for event in events):
        return Finding(kind="confirmed", explained=events)
    return Finding(kind="unknown", detail="pages do not report keys that produce text", explained=events)


register(
    ActionType(
        spec=ACTION_SPECS["press"],
        rule=_rule,
        object="key",
        verbs=("press", "hit"),
        marks=lambda action, events, scrolled: rules.field_marks(action.get("key"), events, scrolled),
    )
)
