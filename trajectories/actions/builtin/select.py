"""Choose an option in a list."""

from __future__ import annotations

from palaestra.protocol.actions import ACTION_SPECS
from trajectories.actions import elements, rules
from trajectories.actions.types import ActionType, DeclaredStep, Finding, PageRecord, register


def _rule(step: DeclaredStep, record: PageRecord) -> Finding:
    inputs = record.events_of(step.index, "input")
    if not inputs:
        return Finding(kind="missing", detail="no page recorded a choice in any list")
    matches = rules.on_target(step, inputs)
    if not matches:
        return rules.elsewhere(step, inputs[0], record)
    # Options have a label and a value. A page reports the value, but an action may name either.
    value = matches[-1].data.get("value")
    options = elements.list_options(step.action or {}, observation=step.observation)
    if value != step.field("value") and value in options:
        return Finding(kind="different_effect", detail="another option was chosen", explained=matches)
    return Finding(kind="confirmed", explained=matches)


register(
    ActionType(
        spec=ACTION_SPECS["select"],
        rule=_rule,
        object="value",
        verbs=("select", "choose"),
        marks=lambda action, events, scrolled: rules.field_marks(
            action.get("text", action.get("value")), events, scrolled
        ),
    )
)
