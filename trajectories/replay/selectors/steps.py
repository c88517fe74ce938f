"""The steps of an episode: an index of them first, one whole at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Max
from django.db.models.functions import Left
from django.http import Http404

from trajectories.models import Blob, Episode, PageEvent, SiteEvent, Step

STEPS_PER_PAGE = 200
STRIP_REACH = 24
THOUGHT_CHARS = 400
EVENTS_SHOWN = 300
BLOB_SHOWN_MAX_BYTES = 512 * 1024

INDEXED = (
    "index",
    "action",
    "action_type",
    "action_known",
    "action_result",
    "duration_ms",
    "screenshot",
    "actor",
)


@dataclass(frozen=True, kw_only=True)
class Gap:
    """Step numbers that were never recorded; both ends belong to it."""

    first: int
    last: int


Item = Mapping[str, Any] | Gap


@dataclass(frozen=True, kw_only=True)
class StepIndex:
    """A stretch of an episode's steps with its gaps, in order. ``items`` holds rows of steps and ``Gap``."""

    items: list[Item]
    next_from: int | None


@dataclass(frozen=True, kw_only=True)
class StepEvents:
    """What page and server saw during one step, and whether there was more than is shown."""

    page: list[PageEvent]
    site: list[SiteEvent]
    is_cut: bool


def last_index(*, episode_id: int) -> int:
    """The highest step number, 0 when there is none."""
    return Step.objects.filter(episode_id=episode_id).aggregate(last=Max("index"))["last"] or 0


def step_index(*, episode_id: int, first: int = 1) -> StepIndex:
    """Up to ``STEPS_PER_PAGE`` steps from number ``first`` on, each without its big columns."""
    rows = list(
        Step.objects.filter(episode_id=episode_id, index__gte=first)
        .annotate(thought_start=Left("thought", THOUGHT_CHARS))
        .order_by("index")
        .values(*INDEXED, "thought_start")[: STEPS_PER_PAGE + 1]
    )
    shown = rows[:STEPS_PER_PAGE]
    return StepIndex(
        items=list(_with_gaps(shown, expected=first)),
        next_from=rows[-1]["index"] if len(rows) > STEPS_PER_PAGE else None,
    )


def _with_gaps(rows: Iterable[Mapping[str, Any]], *, expected: int) -> Iterator[Item]:
    for row in rows:
        if row["index"] > expected:
            yield Gap(first=expected, last=row["index"] - 1)
        yield row
        expected = row["index"] + 1


def strip_around(*, episode_id: int, index: int) -> list[Item]:
    """The steps near one, for the strip that shows the place in the episode."""
    low = max(1, index - STRIP_REACH)
    rows = list(
        Step.objects.filter(episode_id=episode_id, index__gte=low, index__lte=index + STRIP_REACH)
        .order_by("index")
        .values("index", "action_type", "action_result")
    )
    return list(_with_gaps(rows, expected=low))


def step_get(*, episode: Episode, index: int) -> Step:
    """One whole step, or 404 that tells a gap from the end."""
    step = Step.objects.filter(episode_id=episode.pk, index=index).first()
    if step is None:
        raise Http404(f"Episode {episode.pk} has no step {index}: it was never recorded.")
    return step


def first_index(*, episode_id: int) -> int | None:
    """The lowest step number, which a gap may keep from being 1."""
    return (
        Step.objects.filter(episode_id=episode_id).order_by("index").values_list("index", flat=True).first()
    )


def step_before(*, episode_id: int, index: int) -> int | None:
    found = Step.objects.filter(episode_id=episode_id, index__lt=index).order_by("-index")
    return found.values_list("index", flat=True).first()


def step_after(*, episode_id: int, index: int) -> int | None:
    found = Step.objects.filter(episode_id=episode_id, index__gt=index).order_by("index")
    return found.values_list("index", flat=True).first()


def step_events(*, episode_id: int, index: int | None) -> StepEvents:
    """The events tied to a step; with ``index`` None those tied to none."""
    page = list(
        PageEvent.objects.filter(episode_id=episode_id, step=index).order_by("received_at", "page", "seq")[
            : EVENTS_SHOWN + 1
        ]
    )
    site = list(
        SiteEvent.objects.filter(episode_id=episode_id, step=index).order_by("seq")[: EVENTS_SHOWN + 1]
    )
    return StepEvents(
        page=page[:EVENTS_SHOWN],
        site=site[:EVENTS_SHOWN],
        is_cut=max(len(page), len(site)) > EVENTS_SHOWN,
    )


def blobs_known(hashes: Iterable[str]) -> dict[str, Blob]:
    """The blobs among these that have been uploaded; a step may name one that has not."""
    return Blob.objects.in_bulk([sha256 for sha256 in hashes if sha256])
