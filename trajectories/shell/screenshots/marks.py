"""Screenshots of steps with marks that show the action, and captions for them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from core.database.sql import Statement
from core.storage import thumbnails
from trajectories.actions.elements import target_description
from trajectories.actions.marks import Marks, scroll_position
from trajectories.actions.types import ReportedEvent
from trajectories.models import Episode, PageEvent, Picture, Step
from trajectories.record.capture import marks
from trajectories.record.capture.captions import CHARS, Caption
from trajectories.record.capture.marks import marks_of
from trajectories.shell.text.actions import action_phrase
from trajectories.shell.text.untrusted import visible

DRAWN_KINDS = ("click", "input", "focus", "key")
# Events that report how far the page is scrolled.
SCROLLED_KINDS = ("scroll", "click", "input", "focus")
LOAD = "load"
EVENTS_MAX = 50
_PAGE_BEFORE = Statement(__file__, "page_before")
# A picture is not enlarged if it would then have more pixels than this.
ENLARGED_PIXELS_MAX = 24_000_000
# Masking changes a text's length, but nothing past this limit is ever shown.
READ_CHARS = 4 * CHARS
PART_CHARS = 160


@dataclass(frozen=True, kw_only=True)
class StepMarks:
    """A step's marks. ``css_width`` is the window's width as the page reported it, None if it did not."""

    marks: Marks
    css_width: object = None


def step_marks(step: Step, *, events: Sequence[PageEvent] | None = None) -> StepMarks:
    """Return a step's marks for the first page that reported an event, with at most two queries.

    ``events`` are the step's page events in their order of arrival; passing them saves a query.
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
    """Return the data of the page's load event and of its last scroll report before ``event``, by kind."""
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


def step_draw(
    step: Step, step_marks: StepMarks, *, is_small: bool = False, enlarged: int = 1
) -> Image.Image | None:
    """Draw a step's screenshot and marks; return None if it has no screenshot that can be shown.

    ``is_small`` makes a thumbnail. ``enlarged`` is a factor by which the picture is scaled up before the
    marks are drawn, so that they have the full resolution.
    """
    picture = thumbnails.thumbnail_read(step.screenshot) if is_small else None
    is_whole = picture is None
    picture = picture or (thumbnails.picture_read(step.screenshot) if step.screenshot else None)
    if picture is None:
        return None
    width: int | None = picture.width
    if not is_whole:
        row = Picture.objects.filter(pk=step.screenshot).only("width").first()
        width = row.width if row else None
    # If a page did not report its window, one CSS pixel per pixel is assumed.
    css_width = step_marks.css_width or width
    shapes = step_marks.marks.in_css_pixels(
        marks.scale_of(pixels=width or picture.width, css_pixels=css_width)
    )
    if is_small and is_whole:
        picture.thumbnail(thumbnails.SIZE)
    scale = marks.scale_of(pixels=picture.width, css_pixels=css_width)
    if picture.width * picture.height * enlarged**2 <= ENLARGED_PIXELS_MAX and enlarged > 1:
        picture = picture.resize(
            (picture.width * enlarged, picture.height * enlarged), Image.Resampling.LANCZOS
        )
        scale *= enlarged
    return marks.marks_draw(picture, shapes, scale=scale)


def build_caption(episode: Episode, step: Step) -> Caption:
    """Build a caption from step, action, beginning of the thought, task and model; tokens are masked."""
    target = target_description(step.action, observation=step.observation_text)
    phrase = action_phrase(step.action, target)
    where = phrase.where and f"on {phrase.where}"
    quoted = phrase.what and f"“{phrase.what}”"
    action = " ".join(part for part in (phrase.verb, quoted, where) if part)
    task, run = episode.task, episode.run
    source = (
        f"{task.benchmark_id}/{task.split}/{task.key}",
        run.model or "unnamed model",
        "simulated" if run.simulated else "",
        f"arm {episode.arm}",
        f"episode {episode.pk}",
    )
    return Caption(
        title=f"Step {step.index} · {visible(action[:READ_CHARS])}"
        + (f" → {visible(step.action_result)}" if step.action_result else ""),
        thought=visible(step.thought.strip()[:READ_CHARS]),
        source=" · ".join(visible(part[:PART_CHARS]) for part in source if part),
    )
