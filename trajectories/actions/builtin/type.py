"""Type text into a field."""

from __future__ import annotations

from collections.abc import Sequence

from core.episodes.tokens import mask_tokens
from palaestra.protocol.actions import ACTION_SPECS
from trajectories.actions import rules
from trajectories.actions.types import ActionType, DeclaredStep, Finding, PageRecord, ReportedEvent, register

# Pages report at most this much of a field's value.
VALUE_CHARS = 2_000
# A description of a field's content is cut to this length.
CONTENT_CHARS = 80


def _rule(step: DeclaredStep, record: PageRecord) -> Finding:
    events = record.events_of(step.index)
    inputs = [event for event in events if event.kind == "input"]
    text = rules.without_spaces(step.field("text"))
    if not inputs:
        return _without_input(step, events, text)
    matches = rules.on_target(step, inputs)
    if not matches:
        return rules.elsewhere(step, inputs[0], record)
    # Line ends and tabs in the text are reported as keys.
    explained = [*matches, *(one for one in events if one.kind in ("key", "submit"))]
    if any(_contains(event, text) for event in matches):
        return Finding(kind="confirmed", explained=explained)
    return Finding(kind="different_effect", detail=_content(matches[-1]), explained=explained)


def _content(event: ReportedEvent) -> str:
    """Describe a field's content on one line.

    Tokens are masked before the text is cut, since half a token would no longer be recognised.
    """
    text = " ".join(mask_tokens(str(event.data.get("value"))).split())
    shown = text if len(text) <= CONTENT_CHARS else f"{text[: CONTENT_CHARS - 1]}…"
    return f"the field holds “{shown}”" if shown else "the field is empty"


def _without_input(step: DeclaredStep, events: Sequence[ReportedEvent], text: str) -> Finding:
    if not text:
        return Finding(kind="unknown", detail="typing nothing into an empty field leaves no trace")
    focused = [one for one in events if one.kind in ("focus", "key")]
    has_target = step.target_path or rules.target_of(step) is not None
    if has_target and rules.on_target(step, focused):
        detail = "the field was focused and reported no text"
        return Finding(kind="unknown", detail=detail, explained=focused)
    return Finding(kind="missing", detail="no page recorded input in any field")


def _contains(event: ReportedEvent, text: str) -> bool:
    value = event.data.get("value")
    if not isinstance(value, str):
        return True  # Pages do not report passwords, so there is nothing to compare.
    content = rules.without_spaces(value)
    return text in content or (len(value) >= VALUE_CHARS and content[: VALUE_CHARS // 2] in text)


register(
    ActionType(
        spec=ACTION_SPECS["type"],
        rule=_rule,
        object="text",
        verbs=("type", "enter", "fill in", "write"),
        marks=lambda action, events, scrolled: rules.field_marks(
            action.get("text", action.get("value")), events, scrolled
        ),
    )
)
