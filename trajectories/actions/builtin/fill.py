"""Fill several fields of a form in one action."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from palaestra.protocol.actions import ACTION_SPECS
from trajectories.actions import rules
from trajectories.actions.types import ActionType, DeclaredStep, Finding, PageRecord, ReportedEvent, register

ENTRIES_MAX = 50
# Pages report at most this much of a field's value.
VALUE_CHARS = 2_000


def _entries(step: DeclaredStep) -> Iterator[DeclaredStep]:
    """Yield one step for each field, with that field as its target."""
    fields = step.field("fields")
    for entry in fields[:ENTRIES_MAX] if isinstance(fields, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("target"), str):
            yield msgspec.structs.replace(step, action={"type": step.type, **entry}, target_path="")


def _rule(step: DeclaredStep, record: PageRecord) -> Finding:
    inputs = record.events_of(step.index, "input")
    if not inputs:
        return Finding(kind="missing", detail="no page recorded input in any field")
    # Filling a form also clicks checkboxes, and line ends in a text are reported as keys.
    events = record.events_of(step.index)
    for entry in _entries(step):
        own = rules.on_target(entry, inputs)
        if own and not any(_holds(entry, event) for event in own):
            detail = f"{rules.target_of(entry) or 'a field'} holds something else"
            return Finding(kind="different_effect", detail=detail, explained=events)
    return Finding(kind="confirmed", explained=events)


def _holds(entry: DeclaredStep, event: ReportedEvent) -> bool:
    """Return whether a field holds the declared text.

    Lists always pass, because an option's value may differ from its label.
    """
    text: Any = entry.field("text")
    value = event.data.get("value")
    if not isinstance(text, str) or not isinstance(value, str) or event.data.get("role") == "combobox":
        return True
    return rules.without_spaces(text)[: VALUE_CHARS // 2] in rules.without_spaces(value)


register(
    ActionType(
        spec=ACTION_SPECS["fill"],
        rule=_rule,
        object="fields",
        verbs=("fill", "fill in", "enter"),
        marks=lambda action, events, scrolled: rules.field_marks("", events, scrolled),
    )
)
