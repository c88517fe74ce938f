"""The steps of an episode: an index of them first, one whole at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Exists, Max, OuterRef
from django.db.models.functions import Left
from django.http import Http404

from trajectories.lab.queries.episodes import episode_alone
from trajectories.lab.queries.step_gaps import Gap, Gaps
from trajectories.lab.queries.step_labels import steps_told
from trajectories.lab.queries.step_outline import Cell, outline
from trajectories.lab.text.untrusted import BEGINNING_FETCHED
from trajectories.models import Blob, Episode, PageEvent, Picture, SiteEvent, Step, StepFacts

STEPS_PER_PAGE = 50
STRIP_REACH = 8
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

# Whether a list can show a step's screenshot: one may be announced and never come, or be no picture.
HAS_PICTURE = Exists(Blob.objects.filter(pk=OuterRef("screenshot"))) & ~Exists(
    Picture.objects.filter(pk=OuterRef("screenshot"), state=Picture.State.UNREADABLE)
)

_BESIDE = """
SELECT (SELECT s.index FROM trajectories_step s WHERE s.episode_id = %(episode)s AND s.index < %(index)s
        ORDER BY s.index DESC LIMIT 1),
    (SELECT s.index FROM trajectories_step s WHERE s.episode_id = %(episode)s AND s.index > %(index)s
        ORDER BY s.index LIMIT 1)"""


class StepMissing(Http404):
    """A step that is not there, of an episode that is."""

    def __init__(self, message: str, *, episode_id: int) -> None:
        super().__init__(message)
        self.episode_id = episode_id


Item = Mapping[str, Any] | Gap


@dataclass(frozen=True, kw_only=True)
class StepIndex:
    """A stretch of an episode's steps with its gaps, in order. ``items`` holds rows of steps and ``Gap``."""

    items: list[Item]
    next_from: int | None


@dataclass(frozen=True, kw_only=True)
class Strip:
    """A part of the timeline, and whether there is more on either side."""

    items: list[Cell | Gap]
    skips_start: bool
    skips_end: bool


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
        .annotate(thought_start=Left("thought", BEGINNING_FETCHED), has_picture=HAS_PICTURE)
        .order_by("index")
        .values(*INDEXED, "thought_start", "has_picture")[: STEPS_PER_PAGE + 1]
    )
    told = steps_told(episode_id=episode_id, indexes=[row["index"] for row in rows[:STEPS_PER_PAGE]])
    shown = [{**row, "told": told[row["index"]]} for row in rows[:STEPS_PER_PAGE]]
    next_from = rows[-1]["index"] if len(rows) > STEPS_PER_PAGE else None
    items: list[Item] = list(_with_gaps(shown, expected=first))
    if next_from and next_from > shown[-1]["index"] + 1:
        items.append(Gap(first=shown[-1]["index"] + 1, last=next_from - 1))
    return StepIndex(items=items, next_from=next_from)


def tail_first(*, episode_id: int) -> int:
    """The number from which on a page holds the last steps; 1 when it holds all."""
    newest = Step.objects.filter(episode_id=episode_id).order_by("-index").values_list("index", flat=True)
    found = list(newest[: STEPS_PER_PAGE + 1])
    return found[STEPS_PER_PAGE - 1] if len(found) > STEPS_PER_PAGE else 1


def _with_gaps(rows: Iterable[Mapping[str, Any]], *, expected: int) -> Iterator[Item]:
    for row in rows:
        if row["index"] > expected:
            yield Gap(first=expected, last=row["index"] - 1)
        yield row
        expected = row["index"] + 1


def strip_around(*, episode_id: int, index: int, gaps: Gaps, last: int) -> Strip:
    """The steps near one, for the strip that shows the place in the episode."""
    low, high = gaps.around(index, reach=STRIP_REACH, last=last)
    items: list[Cell | Gap] = []
    expected = low
    for cell in outline(episode_id=episode_id, first=low, last=high):
        if cell.index > expected:
            items.append(Gap(first=expected, last=cell.index - 1))
        items.append(cell)
        expected = cell.index + 1
    if expected <= high:
        items.append(Gap(first=expected, last=high))
    return Strip(items=items, skips_start=low > 1, skips_end=high < last)


def step_get(*, episode: Episode, index: int) -> Step:
    """One whole step, or 404 that tells a gap from the end."""
    return _found(Step.objects.filter(episode_id=episode.pk, index=index).first(), episode, index)


def step_alone(*, episode_id: int, index: int) -> Step:
    """One whole step with its episode's own row, in one query; or 404."""
    found = Step.objects.select_related("episode").filter(episode_id=episode_id, index=index).first()
    return found or step_get(episode=episode_alone(episode_id), index=index)


def step_named(*, episode: Episode, index: int) -> Step:
    """One step by its number and its screenshot, without its long texts; or 404."""
    rows = Step.objects.only("episode_id", "index", "screenshot")
    return _found(rows.filter(episode_id=episode.pk, index=index).first(), episode, index)


def _lack(episode: Episode, index: int) -> str:
    said = f"Episode {episode.pk} has no step {index}"
    last = last_index(episode_id=episode.pk)
    if episode.finished_at is None and index > last:
        has = f"steps up to {last}" if last else "none so far"
        return f"{said} yet: it is under way, and has {has}. Its page shows them as they come."
    return f"{said}: it was never recorded."


def _found(step: Step | None, episode: Episode, index: int) -> Step:
    if step is None:
        raise StepMissing(_lack(episode, index), episode_id=episode.pk)
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


def steps_beside(*, episode_id: int, index: int) -> tuple[int | None, int | None]:
    """The steps before and after one, in one query."""
    with connection.cursor() as cursor:
        cursor.execute(_BESIDE, {"episode": episode_id, "index": index})
        before, after = cursor.fetchone() or (None, None)
    return before, after


def step_nearest(*, episode_id: int, index: int) -> Step:
    """The step itself, else the next one, else the last, with its episode; or 404."""
    rows = Step.objects.select_related("episode").filter(episode_id=episode_id)
    found = rows.filter(index__gte=index).order_by("index").first() or rows.order_by("-index").first()
    if found is None:
        raise StepMissing(_lack(episode_alone(episode_id), index), episode_id=episode_id)
    return found


def step_facts(*, episode_id: int, index: int) -> StepFacts | None:
    """What was computed of a step; None until some seconds after its episode's end."""
    return StepFacts.objects.defer("words").filter(episode_id=episode_id, index=index).first()


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
