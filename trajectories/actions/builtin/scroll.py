"""Scroll the page or an element by a distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from palaestra.protocol.actions import ACTION_SPECS
from trajectories.actions import marks, rules
from trajectories.actions.marks import Marks, Offset
from trajectories.actions.types import ActionType, DeclaredStep, Finding, PageRecord, ReportedEvent, register

# How many earlier steps are searched for the position before a scroll.
EARLIER_STEPS = 50


def _rule(step: DeclaredStep, record: PageRecord) -> Finding:
    requested = [marks.number(step.field(name), most=rules.FAR_PX) or 0.0 for name in ("dx", "dy")]
    if not any(requested):
        return Finding(kind="none", detail="the action names no distance")
    scrolls = _scrolls(step, record)
    if not scrolls:
        return Finding(kind="missing", detail="nothing moved: the end may have been reached")
    before, after = _position_before(scrolls[0], record, step), _position(scrolls[-1])
    if before and after:
        moved = (after[0] - before[0], after[1] - before[1])
        if any(request * move < 0 for request, move in zip(requested, moved, strict=True)):
            return Finding(kind="different_effect", detail="the page moved in the opposite direction")
    return Finding(kind="confirmed")


def _scrolls(step: DeclaredStep, record: PageRecord) -> list[ReportedEvent]:
    """Return a step's scrolls, perhaps from the next step, since pages report them up to 250 ms late."""
    own = record.events_of(step.index, "scroll")
    after = record.step_after(step.index)
    if own or after is None or after.type == "scroll":
        return own
    return record.events_of(after.index, "scroll")[:1]


def _position_before(event: ReportedEvent, record: PageRecord, step: DeclaredStep) -> Offset | None:
    """Return the page's last known scroll position before the step; a freshly loaded page is at its top."""
    for earlier in record.steps_before(step.index, most=EARLIER_STEPS):
        for known in reversed(record.events_of(earlier.index)):
            if known.page != event.page:
                continue
            if position := _position(known):
                return position
            if known.kind == "load":
                return 0.0, 0.0
    return None


def _position(event: ReportedEvent) -> Offset | None:
    return marks.scroll_position(event.data, kind=event.kind, most=rules.FAR_PX)


def _marks(action: Mapping[str, Any], _events: Sequence[ReportedEvent], _scrolled: Offset) -> Marks:
    dx, dy = (marks.number(action.get(name)) or 0 for name in ("dx", "dy"))
    return Marks(scroll=(dx, dy)) if dx or dy else Marks()


register(
    ActionType(
        spec=ACTION_SPECS["scroll"],
        rule=_rule,
        object="dy",
        unit=" px",
        verbs=("scroll", "scroll down", "scroll up"),
        marks=_marks,
    )
)
