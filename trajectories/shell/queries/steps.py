"""Queries for an episode's steps, as lists without long texts or as single whole steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.db.models.functions import Left
from django.http import Http404

from core.database.sql import Statement
from trajectories.models import Blob, Episode, PageEvent, Picture, SiteEvent, Step
from trajectories.shell.queries.episodes import episode_alone
from trajectories.shell.queries.step_facts import step_labels
from trajectories.shell.text.untrusted import BEGINNING_FETCHED

T = TypeVar("T")
# Only the longest missing ranges are listed; every number in the others gets a cell of its own.
RANGES_MAX = 1_000
_RANGES = Statement(__file__, "missing_steps")
STEPS_PER_PAGE = 50
EVENTS_SHOWN = 300
LISTED = (
    "index",
    "action",
    "action_type",
    "action_known",
    "action_result",
    "duration_ms",
    "screenshot",
    "actor",
    "segment",
    "more__thought_hidden",
    "more__settled",
)
# True if a step's screenshot can be shown. It may have been announced but never uploaded, or not be a
# picture.
HAS_PICTURE = Exists(Blob.objects.filter(pk=OuterRef("screenshot"))) & ~Exists(
    Picture.objects.filter(pk=OuterRef("screenshot"), state=Picture.State.UNREADABLE)
)
Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class MissingRange:
    """A range of step numbers that were never recorded, both ends included."""

    first: int
    last: int

    @property
    def number(self) -> int:
        return self.last - self.first + 1


class MissingSteps:
    """All step numbers of an episode that were never recorded, as ranges in order."""

    def __init__(self, ranges: list[MissingRange]) -> None:
        self._by_first = {missing.first: missing for missing in ranges}
        self._by_last = {missing.last: missing for missing in ranges}

    def __str__(self) -> str:
        """Format the ranges for scripts: ``4-9999 10002-10002``."""
        return " ".join(f"{missing.first}-{missing.last}" for missing in self._by_first.values())

    def around(self, index: int, *, reach: int, last: int) -> tuple[int, int]:
        """Return the first and last step within ``reach`` cells of a step; a missing range is one cell."""
        low = high = index
        for _ in range(reach):
            if low > 1:
                low = self._by_last[low - 1].first if low - 1 in self._by_last else low - 1
            if high < last:
                high = self._by_first[high + 1].last if high + 1 in self._by_first else high + 1
        return low, high


def read_missing_steps(*, episode_id: int, last: int, number: int) -> MissingSteps:
    """Return the missing steps up to ``last``, without a query if all ``number`` of them were recorded."""
    if last == number:
        return MissingSteps([])
    rows = _RANGES.rows(episode=episode_id, last=last, most=RANGES_MAX)
    return MissingSteps([MissingRange(first=first, last=end) for first, end in sorted(rows)])


def insert_missing(
    steps: Iterable[T], *, first: int, last: int | None, index: Callable[[T], int]
) -> Iterator[T | MissingRange]:
    """Yield steps in order, and a range wherever step numbers are missing, up to ``last`` if given."""
    expected = first
    for step in steps:
        if index(step) > expected:
            yield MissingRange(first=expected, last=index(step) - 1)
        yield step
        expected = index(step) + 1
    if last is not None and expected <= last:
        yield MissingRange(first=expected, last=last)


_NEIGHBOURS = Statement(__file__, "step_neighbours")


class StepMissing(Http404):
    """Raised if an episode exists but the step does not."""

    def __init__(self, message: str, *, episode_id: int) -> None:
        super().__init__(message)
        self.episode_id = episode_id


class Neighbours(NamedTuple):
    before: int | None
    after: int | None


@dataclass(frozen=True, kw_only=True)
class StepList:
    """A page of an episode's steps and missing ranges in order; ``next_from`` begins the next page."""

    items: list[Row | MissingRange]
    next_from: int | None


@dataclass(frozen=True, kw_only=True)
class StepEvents:
    """Page and site events that were recorded during one step; ``is_cut`` if there are more."""

    page: list[PageEvent]
    site: list[SiteEvent]
    is_cut: bool

    @property
    def of_page(self) -> StepEvents:
        return replace(self, site=[])

    @property
    def of_site(self) -> StepEvents:
        return replace(self, page=[])


def step_list(*, episode_id: int, first: int = 1) -> StepList:
    """Return up to ``STEPS_PER_PAGE`` steps from number ``first`` on, without their long texts."""
    rows = list(
        Step.objects.filter(episode_id=episode_id, index__gte=first)
        .annotate(thought_start=Left("thought", BEGINNING_FETCHED), has_picture=HAS_PICTURE)
        .order_by("index")
        .values(*LISTED, "thought_start", "has_picture")[: STEPS_PER_PAGE + 1]
    )
    next_from = rows[-1]["index"] if len(rows) > STEPS_PER_PAGE else None
    rows = rows[:STEPS_PER_PAGE]
    labels = step_labels(episode_id=episode_id, indexes=[row["index"] for row in rows])
    shown: list[Row] = [{**row, "label": labels[row["index"]]} for row in rows]
    last = next_from - 1 if next_from else None
    items = insert_missing(shown, first=first, last=last, index=itemgetter("index"))
    return StepList(items=list(items), next_from=next_from)


def thought_starts(
    *, episode_id: int, first: int, last: int, chars: int = BEGINNING_FETCHED
) -> dict[int, str]:
    """Return the beginnings of the thoughts of steps ``first`` to ``last``, by step number."""
    rows = Step.objects.filter(episode_id=episode_id, index__range=(first, last))
    return dict(rows.values_list("index", Left("thought", chars)))


def step_counts(episode_ids: Iterable[int]) -> dict[int, int]:
    """Return each episode's number of recorded steps; episodes without steps are left out."""
    rows = Step.objects.filter(episode_id__in=list(episode_ids)).order_by().values_list("episode_id")
    return dict(rows.annotate(steps=Count("index")))


def tail_first(*, episode_id: int) -> int:
    """Return the first step on a page that ends with the last step; 1 if all steps fit on one page."""
    newest = Step.objects.filter(episode_id=episode_id).order_by("-index").values_list("index", flat=True)
    numbers = list(newest[: STEPS_PER_PAGE + 1])
    return numbers[STEPS_PER_PAGE - 1] if len(numbers) > STEPS_PER_PAGE else 1


def step_get(*, episode: Episode, index: int) -> Step:
    """Return one whole step. Raises ``Http404`` if it does not exist."""
    return _step_or_404(Step.objects.filter(episode_id=episode.pk, index=index).first(), episode, index)


def step_alone(*, episode_id: int, index: int) -> Step:
    """Return one whole step with its episode, run and verdict in one query. Raises ``Http404`` if missing."""
    rows = Step.objects.select_related("episode__run", "episode__verdict")
    step = rows.filter(episode_id=episode_id, index=index).first()
    return step or step_get(episode=episode_alone(episode_id), index=index)


def get_named_step(*, episode: Episode, index: int) -> Step:
    """Return a step with its number and screenshot but no long texts. Raises ``Http404`` if missing."""
    rows = Step.objects.only("episode_id", "index", "screenshot")
    return _step_or_404(rows.filter(episode_id=episode.pk, index=index).first(), episode, index)


def step_nearest(*, episode_id: int, index: int) -> Step:
    """Return the step, else the next one, else the last, with its episode. Raises ``Http404`` if none."""
    rows = Step.objects.select_related("episode").filter(episode_id=episode_id)
    step = rows.filter(index__gte=index).order_by("index").first() or rows.order_by("-index").first()
    return step or _step_or_404(None, episode_alone(episode_id), index)


def first_index(*, episode_id: int) -> int:
    """Return the lowest step number, above 1 if the first steps are missing; 0 if there are no steps."""
    return _numbers(episode_id).order_by("index").first() or 0


def last_index(*, episode_id: int) -> int:
    """Return the highest step number, or 0 if there are no steps."""
    return _numbers(episode_id).order_by("-index").first() or 0


def step_after(*, episode_id: int, index: int) -> int | None:
    return _numbers(episode_id).filter(index__gt=index).order_by("index").first()


def step_neighbours(*, episode_id: int, index: int) -> Neighbours:
    """Return the steps before and after a step, in one query."""
    return Neighbours(*_NEIGHBOURS.rows(episode=episode_id, index=index)[0])


def step_events(*, episode_id: int, index: int | None) -> StepEvents:
    """Return a step's events, or with ``index`` None the events that belong to no step."""
    most = EVENTS_SHOWN + 1
    page = list(
        PageEvent.objects.filter(episode_id=episode_id, step=index).order_by("received_at", "page", "seq")[
            :most
        ]
    )
    site = list(SiteEvent.objects.filter(episode_id=episode_id, step=index).order_by("seq")[:most])
    return StepEvents(
        page=page[:EVENTS_SHOWN], site=site[:EVENTS_SHOWN], is_cut=max(len(page), len(site)) > EVENTS_SHOWN
    )


def list_uploaded_blobs(hashes: Iterable[str]) -> dict[str, Blob]:
    """Return the uploaded blobs among these hashes; a step may refer to a blob that was never uploaded."""
    return Blob.objects.in_bulk([sha256 for sha256 in hashes if sha256])


def _numbers(episode_id: int) -> QuerySet[Step, int]:
    return Step.objects.filter(episode_id=episode_id).values_list("index", flat=True)


def _step_or_404(step: Step | None, episode: Episode, index: int) -> Step:
    if step is not None:
        return step
    message = f"Episode {episode.pk} has no step {index}"
    last = last_index(episode_id=episode.pk)
    if episode.finished_at is None and index > last:
        recorded = f"steps up to {last}" if last else "no steps so far"
        message = (
            f"{message} yet: it is still running and has {recorded}. Its page shows new steps as they arrive."
        )
    else:
        message = f"{message}: it was never recorded."
    raise StepMissing(message, episode_id=episode.pk)
