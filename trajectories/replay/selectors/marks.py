"""What is drawn on a step's screenshot."""

from __future__ import annotations

from dataclasses import dataclass

from trajectories.capture import marks
from trajectories.models import PageEvent, Step

KINDS = ("click", "input", "focus", "key")
PLACED_KINDS = ("scroll", "click", "input", "focus")
LOADED = "load"
EVENTS_MAX = 50


@dataclass(frozen=True, kw_only=True)
class StepMarks:
    """``css_width`` is the page's word for the width of its window, None when it said none."""

    marks: marks.Marks
    css_width: object = None


def step_marks(step: Step) -> StepMarks:
    """The marks of a step, in three queries at most. Those of the page that the step was done on count."""
    events = list(
        PageEvent.objects.filter(episode_id=step.episode_id, step=step.index, kind__in=KINDS).order_by(
            "received_at", "page", "seq"
        )[:EVENTS_MAX]
    )
    if not events:
        return StepMarks(marks=marks.marks_of(step.action, ()), css_width=_width_before(step))
    first = events[0]
    page = PageEvent.objects.filter(episode_id=step.episode_id, page=first.page)
    load = page.filter(kind=LOADED).order_by("seq").first()
    placed = page.filter(kind__in=PLACED_KINDS, seq__lt=first.seq).order_by("-seq").first()
    scrolled = marks.scroll_told(placed.data, kind=placed.kind) if placed else None
    seen = [marks.Seen(kind=one.kind, data=one.data) for one in events if one.page == first.page]
    return StepMarks(
        marks=marks.marks_of(step.action, seen, scrolled=scrolled or (0, 0)),
        css_width=load.data.get("width") if load else None,
    )


def _width_before(step: Step) -> object:
    loads = PageEvent.objects.filter(episode_id=step.episode_id, kind=LOADED, step__lte=step.index)
    load = loads.order_by("-received_at", "-seq", "page").first()
    return load.data.get("width") if load else None
