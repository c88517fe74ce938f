"""Marks drawn on a step's screenshot."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.sql import Statement
from trajectories.actions.marks import Marks, scroll_position
from trajectories.actions.types import ReportedEvent
from trajectories.models import PageEvent, Step
from trajectories.record.capture.marks import marks_of

DRAWN_KINDS = ("click", "input", "focus", "key")
# Events that report how far the page is scrolled.
SCROLLED_KINDS = ("scroll", "click", "input", "focus")
LOAD = "load"
EVENTS_MAX = 50
_PAGE_BEFORE = Statement(__file__, "page_before")


@dataclass(frozen=True, kw_only=True)
class StepMarks:
    """``css_width`` is the width of the window as the page reported it, None if it did not."""

    marks: Marks
    css_width: object = None


def step_marks(step: Step, *, events: Sequence[PageEvent] | None = None) -> StepMarks:
    """The marks of a step, on the first page that reported something; two queries at most.

    ``events`` are the page events of the step in the order of their arrival; passing them saves a query.
    """
    rows = (
        _events(step) if events is None else [one for one in events if one.kind in DRAWN_KINDS][:EVENTS_MAX]
    )
    if not rows:
        return StepMarks(marks=marks_of(step.action, ()), css_width=_width_before(step))
    first = rows[0]
    before = _page_before(first)
    load = before.pop(LOAD, {})
    scrolled = next((scroll_position(data, kind=kind) for kind, data in before.items()), None)
    on_page = [ReportedEvent(kind=row.kind, data=row.data) for row in rows if row.page == first.page]
    return StepMarks(
        marks=marks_of(step.action, on_page, scrolled=scrolled or (0, 0)), css_width=load.get("width")
    )


def _events(step: Step) -> list[PageEvent]:
    rows = PageEvent.objects.filter(episode_id=step.episode_id, step=step.index, kind__in=DRAWN_KINDS)
    return list(rows.order_by("received_at", "page", "seq")[:EVENTS_MAX])


def _page_before(event: PageEvent) -> dict[str, Any]:
    """The data of the page's load and of its last scroll report, by kind."""
    rows = _PAGE_BEFORE.rows(
        episode=event.episode_id,
        page=event.page,
        seq=event.seq,
        step=event.step,
        load=LOAD,
        scrolled=list(SCROLLED_KINDS),
    )
    return {kind: json.loads(data) for kind, data in rows}


def _width_before(step: Step) -> object:
    loads = PageEvent.objects.filter(episode_id=step.episode_id, kind=LOAD, step__lte=step.index)
    load = loads.order_by("-received_at", "-seq", "page").first()
    return load.data.get("width") if load else None
