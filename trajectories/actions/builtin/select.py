"""Choose an option of a list."""

from __future__ import annotations

from trajectories.actions import elements, rules
from trajectories.actions.registry import register
from trajectories.actions.types import ActionType, DeclaredStep, Field, Finding, PageRecord, target, x, y


def _rule(step: DeclaredStep, record: PageRecord) -> Finding:
    inputs = record.events_of(step.index, "input")
    if not inputs:
        return Finding(kind="missing", detail="no page recorded a choice in any list")
    matches = rules.on_target(step, inputs)
    if not matches:
        return rules.elsewhere(step, inputs[0], record)
    # Options have a label and a value: a page reports the value, an action may name either.
    value = matches[-1].data.get("value")
    options = elements.options_of(step.action or {}, observation=step.observation)
    if value != step.field("value") and value in options:
        return Finding(kind="different_effect", detail="another option was chosen", explained=matches)
    return Finding(kind="confirmed", explained=matches)


register(
    ActionType(
        id="select",
        rule=_rule,
        description="Choose an option of a drop-down list, written as the list shows it.",
        rank=4,
        aim="required",
        fields=(
            target("Id of the list."),
            Field("value", "The option, as the list shows it.", example="...", is_required=True),
            x(),
            y(),
        ),
        object="value",
        verbs=("select", "choose"),
        marks=lambda action, events, scrolled: rules.field_marks(
            action.get("text", action.get("value")), events, scrolled
        ),
    )
)
