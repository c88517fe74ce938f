"""What is drawn on a step's screenshot."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from trajectories.actions.marks import Marks, scroll_position
from trajectories.actions.types import ReportedEvent
from trajectories.capture.marks import marks_of
from trajectories.models import PageEvent, Step

KINDS = ("click", "input", "focus", "key")
PLACED_KINDS = ("scroll", "click", "input", "focus")
LOADED = "load"
EVENTS_MAX = 50

# The page's first load, and what told last before a step how far it was scrolled: what the step itself moved
# came after its screenshot. In one query.
_PAGE_BEFORE = """
(SELECT kind, data FROM trajectories_pageevent
    WHERE episode_id = %(episode)s AND page = %(page)s AND kind = %(load)s ORDER BY seq LIMIT 1)
UNION ALL
(SELECT kind, data FROM trajectories_pageevent WHERE episode_id = %(episode)s AND page = %(page)s
    AND kind = ANY(%(placed)s) AND seq < %(seq)s AND (step IS NULL OR step < %(step)s)
    ORDER BY seq DESC LIMIT 1)"""


@dataclass(frozen=True, kw_only=True)
class StepMarks:
    """``css_width`` is the page's word for the width of its window, None when it said none."""

    marks: Marks
    css_width: object = None


def step_marks(step: Step, *, seen: Sequence[PageEvent] | None = None) -> StepMarks:
    """The marks of a step, in two queries at most. Those of the page that the step was done on count.

    ``seen`` spares one of them: what the page saw during the step, as it came.
    """
    events = _events(step) if seen is None else [event for event in seen if event.kind in KINDS][:EVENTS_MAX]
    if not events:
        return StepMarks(marks=marks_of(step.action, ()), css_width=_width_before(step))
    first = events[0]
    before = _page_before(first)
    load = before.pop(LOADED, {})
    scrolled = next((scroll_position(data, kind=kind) for kind, data in before.items()), None)
    done = [ReportedEvent(kind=one.kind, data=one.data) for one in events if one.page == first.page]
    return StepMarks(
        marks=marks_of(step.action, done, scrolled=scrolled or (0, 0)),
        css_width=load.get("width"),
    )


def _events(step: Step) -> list[PageEvent]:
    found = PageEvent.objects.filter(episode_id=step.episode_id, step=step.index, kind__in=KINDS)
    return list(found.order_by("received_at", "page", "seq")[:EVENTS_MAX])


def _page_before(event: PageEvent) -> dict[str, Any]:
    """By their kind, what those events say."""
    asked: dict[str, Any] = {
        "episode": event.episode_id,
        "page": event.page,
        "seq": event.seq,
        "step": event.step,
        "load": LOADED,
        "placed": list(PLACED_KINDS),
    }
    with connection.cursor() as cursor:
        cursor.execute(_PAGE_BEFORE, asked)
        return {kind: json.loads(data) for kind, data in cursor.fetchall()}


def _width_before(step: Step) -> object:
    loads = PageEvent.objects.filter(episode_id=step.episode_id, kind=LOADED, step__lte=step.index)
    load = loads.order_by("-received_at", "-seq", "page").first()
    return load.data.get("width") if load else None
