"""Helpers that the rules of several action types share; ``docs/action_check.md`` explains every rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaestra.protocol.outline import is_element_id
from trajectories.actions import elements, marks
from trajectories.actions.checks import Tone
from trajectories.actions.elements import Element
from trajectories.actions.marks import Box, Marks, Offset
from trajectories.actions.types import DeclaredStep, Finding, PageRecord, ReportedEvent

# No page has positions or distances beyond this.
FAR_PX = 1e9


@dataclass(frozen=True, kw_only=True)
class Result:
    """A harness's result of an action; ``not_performed`` says why it did nothing, or is empty if it tried."""

    label: str
    tone: Tone
    not_performed: str = ""


RESULTS: Mapping[str, Result] = {
    "ok": Result(label="OK", tone="good"),
    "no_target": Result(
        label="No target", tone="warn", not_performed="the harness found no element to act on"
    ),
    "refused": Result(label="Refused", tone="bad", not_performed="the harness refused the action"),
    "timeout": Result(label="Timed out", tone="warn"),
    "invalid": Result(label="Invalid", tone="bad", not_performed="the harness could not read the action"),
}
# Results after which the page cannot have changed.
NOT_PERFORMED = {code: result.not_performed for code, result in RESULTS.items() if result.not_performed}


def event_description(event: ReportedEvent) -> str:
    element = elements.reported(event.data)
    if event.kind == "key":
        return f"the key {event.data.get('key')} in {element}"
    if event.kind in ("click", "input"):
        return f"{'a click on' if event.kind == 'click' else 'input in'} {element}"
    return event.kind


def not_performed(step: DeclaredStep) -> str:
    """Return the harness's reason for doing nothing, or an empty string if it attempted the action."""
    target = step.field("target")
    if step.result != "no_target" or not isinstance(target, str) or not target:
        return NOT_PERFORMED.get(step.result, "")
    if not is_element_id(target):
        return "the action does not name an element by its number"
    if elements.is_shown(target, observation=step.observation):
        return "the element was shown, but could no longer be reached"
    if not step.is_observation_complete:
        return NOT_PERFORMED["no_target"]
    return f"the action named an element that was not on the page: {target}"


def target_of(step: DeclaredStep) -> Element | None:
    return elements.target_of(step.action, observation=step.observation)


def on_target(step: DeclaredStep, events: Iterable[ReportedEvent]) -> list[ReportedEvent]:
    """Return the events on the element that the action names, or all events if it names no element shown."""
    return [one for one in events if is_on_target(step, one)]


def is_on_target(step: DeclaredStep, event: ReportedEvent) -> bool:
    """Return whether an event happened on the action's target.

    Their places in the document are compared or, if either place is unknown, their roles and names.
    """
    is_there = elements.is_at(step.target_path, event.data)
    if is_there is not None:
        return is_there
    target = target_of(step)
    return target is None or elements.is_same(target, elements.reported(event.data))


def elsewhere(step: DeclaredStep, event: ReportedEvent, record: PageRecord) -> Finding:
    """Return the finding that the event happened on a different element than the action names."""
    detail = f"{event_description(event)}, not in {target_of(step)}"
    return Finding(kind="different_effect", detail=detail, explained=record.events_of(step.index))


def without_spaces(text: Any) -> str:
    """Remove all white space, since line ends and tabs are keys in some fields and text in others."""
    return "".join(str(text if text is not None else "").split())


def nothing_expected(_step: DeclaredStep, _record: PageRecord) -> Finding:
    return Finding(kind="confirmed", detail="the page had nothing to report")


def field_box(events: Sequence[ReportedEvent], scrolled: Offset) -> Box | None:
    """Return the box of the first element that received input or, failing that, focus or a key."""
    for kind in ("input", "focus", "key"):
        for event in events:
            offset = marks.shift(event.data, kind=kind, scrolled=scrolled)
            if event.kind == kind and (box := marks.find_box(event.data, offset)):
                return box
    return None


def field_marks(text: object, events: Sequence[ReportedEvent], scrolled: Offset) -> Marks:
    return Marks(box=field_box(events, scrolled), text=marks.drawable(text))
