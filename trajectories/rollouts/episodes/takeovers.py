"""Takeovers, in which a person acts in place of the agent: where the person begins, and the API calls."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from msgspec import Meta, Struct
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.schema import call
from core.database.sql import Statement
from core.episodes.tokens import code_digest
from core.errors import GymError
from core.structs.bodies import struct_read
from palaestra.protocol.action_results import CARRIED_OUT, UNDONE
from palaestra.protocol.actions import LOOKS
from palaestra.protocol.arms import ARMS
from palaestra.protocol.grammars import GRAMMARS
from palaestra.protocol.outline import PICTURE_LINE, PUBLIC_ROOT, STILL_LOADING
from tasks_app.worlds.evidence import PAGE_SERVED
from trajectories.models import Episode, Step, Takeover
from trajectories.models.takeover import is_below
from trajectories.record import hot_sql
from trajectories.record.api.auth import Principal, caller
from trajectories.record.prompts.interface import setup_of
from trajectories.rollouts.episodes import services
from trajectories.rollouts.episodes.forks import lineage
from trajectories.rollouts.episodes.forks.lineage import list_held_steps, places_until
from trajectories.rollouts.live import events

IN_FLIGHT_MAX = 8
"""The most steps of an agent that are assumed to be in flight."""
ACTED = Statement(__file__, "acted", page_served=PAGE_SERVED, in_flight_max=str(IN_FLIGHT_MAX))
CODE_BYTES = 32
NAME_CHARS = 150
WRITABLE = ("json", "functions")
"""The grammars in which the arena can write a person's actions."""


class Visit(Struct, kw_only=True):
    """A document to open as it was at the event ``as_of``, and the acts to repeat on it."""

    address: str
    as_of: int
    acts: list[dict[str, Any]]


class Entry(Struct, frozen=True, kw_only=True):
    """The start of a takeover. ``address`` is that of a page, below the episode's first page.

    In a fork, ``visits`` are the documents on the way to that page, and ``expected`` is the outline sent to
    the agent (empty if it cannot be compared).
    """

    begins_after: int
    element_ids: str
    address: str = ""
    visits: Sequence[Visit] = ()
    expected: str = ""


def entry_of(episode: Episode, principal: Principal) -> Entry:
    """Return where the person begins.

    A fork in which nothing was done is restored, even if it was restored before.
    """
    if episode.parent_id is None:
        return _current(episode)
    try:
        restored = lineage.fork_restore(episode_id=episode.pk, principal=principal)
    except GymError as error:
        if error.code != "restored":
            raise
        return _current(episode)
    visits = list(_visits(restored.steps))
    return Entry(
        begins_after=restored.next_index - 1,
        element_ids=restored.element_ids,
        address=visits[0].address if visits else "",
        visits=visits,
        expected=_expected(episode) if visits else "",
    )


def _current(episode: Episode) -> Entry:
    """Return the current page of an episode in progress, without what its agent typed but did not send."""
    index, path = ACTED.row(episode=episode.pk) or (episode.begins_after, None)
    steps = places_until(episode.pk, index)
    url = steps[-1].url if steps else ""
    return Entry(
        begins_after=index,
        element_ids=" ".join(step.element_ids for step in steps if step.element_ids),
        address=address_of(url, path or ""),
    )


def _visits(steps: Sequence[lineage.PastAct]) -> Iterator[Visit]:
    """Yield the documents to open, ending with the last one that the parent was served.

    Earlier documents are included only if something was done on them that the browser tab remembers: what was
    typed, and which parts were opened or closed."""
    visits: list[Visit] = []
    for act in steps:
        done = _done(act)
        if visits:
            # If the step led to a new document, its last action did so and must not be repeated.
            visits[-1].acts += done[:-1] if act.served else done
        if act.served:
            document = act.served[-1]
            visits.append(Visit(address=address_of(act.url, document.path), as_of=document.seq, acts=[]))
    for visit in visits[:-1]:
        if any(one.get("type") not in LOOKS for one in visit.acts):
            yield visit
    yield from visits[-1:]


def _done(act: lineage.PastAct) -> list[dict[str, Any]]:
    """Return the actions of a step that were carried out."""
    if act.action is None:
        return []
    if parts := act.action.get("actions"):
        carried_out = CARRIED_OUT.match(act.result_message or "")
        return list(parts[: int(carried_out[1])] if carried_out else parts)
    return [] if act.action_result in UNDONE else [act.action]


def _expected(episode: Episode) -> str:
    """Return the outline sent to the agent, without the line about its picture.

    It is empty if it was not recorded, or if the page was still loading.
    """
    holder, index = next(
        (
            held
            for held in reversed(list_held_steps(episode.parent_id or 0))
            if held[1] == episode.begins_after + 1
        ),
        (0, 0),
    )
    row = Step.objects.filter(episode_id=holder, index=index).values_list("observation_text", flat=True)
    head, *lines = (row.first() or "").split("\n")
    form = setup_of(episode.run, arm=episode.arm, channel=episode.answer_channel).observation
    if form.has_screenshot and lines and lines[0].startswith(PICTURE_LINE):
        del lines[0]
    return "" if lines[-1:] == [STILL_LOADING] else "\n".join([head, *lines])


def address_of(url: str, path: str) -> str:
    """Return the address of the document at ``path``, below the episode's first page.

    It includes the query of ``url``, the address shown to models, if that belongs to the same document. It is
    empty if it could lead elsewhere."""
    shown = url.removeprefix(PUBLIC_ROOT) if url.startswith(PUBLIC_ROOT) else ""
    is_same = shown.partition("?")[0].partition("#")[0] == path
    address = shown if is_same else path
    return address if is_below(address) else ""


def takeover_begin(*, episode_id: int, person: str, principal: Principal) -> dict[str, Any]:
    """Let ``person`` act in an open episode. Return the API's record, whose ``url`` works once.

    A fork in which nothing was done is restored. A person who already acts in the episode begins again.
    Raises ``GymError``: 404 ``unknown_episode``; 409 ``episode_final``, ``taken_over``, ``parent_gone``; 422
    ``no_page``, ``probe``, ``other_setup``.
    """
    services.episode_get(episode_id=episode_id, principal=principal)
    code = secrets.token_urlsafe(CODE_BYTES)
    with transaction.atomic():
        # The lock on the row comes first: afterwards the agent's calls are refused, and its earlier ones are
        # stored.
        rows = Episode.objects.select_related("task", "run").select_for_update(of=("self",))
        episode = rows.get(pk=episode_id)
        setup_check(episode)
        if episode.status != Episode.Status.OPEN:
            raise GymError("episode_final", "The episode has ended; fork it to take over.", status=409)
        _check_free(episode, person)
        Episode.objects.filter(pk=episode_id).update(is_taken_over=True)
        _end(Takeover.objects.filter(episode=episode_id, ended_at=None), Takeover.End.IDLE)
        takeover = Takeover.objects.create(
            episode=episode,
            person=person[:NAME_CHARS],
            link=code_digest(code),
            grammar=episode.run.grammar,
            begins_after=0,
            last_index=0,
        )
        _enter(takeover, entry_of(episode, principal))
    return {**_record(takeover), "url": f"{settings.ARENA_URL}/takeover/{code}"}


def _check_free(episode: Episode, person: str) -> None:
    """Raise ``GymError`` 409 ``taken_over`` while somebody else acts. A person may replace a lost tab."""
    held = services.taken(episode.pk).exclude(person=person[:NAME_CHARS], ended_at=None)
    if held.exists():
        raise services.taken_over(episode.pk)


def _enter(takeover: Takeover, entry: Entry) -> None:
    takeover.begins_after = takeover.last_index = entry.begins_after
    # Before the first step nothing has gone wrong yet, so the person demonstrates the task.
    takeover.segment = Step.Segment.RECOVERY if entry.begins_after else Step.Segment.CORRECTION
    takeover.element_ids, takeover.entry = entry.element_ids, entry.address
    takeover.as_of = entry.visits[0].as_of if entry.visits else None
    takeover.acts, takeover.expected = msgspec.to_builtins(entry.visits), entry.expected
    takeover.save()


def takeover_end(*, episode_id: int, how: str, principal: Principal) -> dict[str, Any]:
    """End an episode's takeover as ``handed_back`` or ``given_up``. Ending it again changes nothing.

    Raises ``GymError``: 404 ``unknown_episode``; 409 ``not_taken_over``.
    """
    run_id = services.episode_get(episode_id=episode_id, principal=principal).run_id
    if _end(services.taken(episode_id).filter(ended_at=None), how) and how == Takeover.End.GIVEN_UP:
        ending = hot_sql.Ending.unjudged(episode_id, "no_submission")
        ended = hot_sql.finish_many(run_id=run_id, endings=[ending], statuses=[Episode.Status.OPEN])
        events.episodes_ended(run_id=run_id, ids=ended)
    last = Takeover.objects.filter(episode=episode_id).order_by("-pk").first()
    if last is None:
        raise GymError("not_taken_over", f"Nobody has taken over episode {episode_id}.", status=409)
    return _record(last)


def _end(rows: QuerySet[Takeover], how: str) -> int:
    return rows.update(ended_at=Now(), ended_as=how)


def _record(takeover: Takeover) -> dict[str, Any]:
    return {
        "episode": takeover.episode_id,
        "person": takeover.person,
        "segment": takeover.segment,
        "begins_after": takeover.begins_after,
        "steps": takeover.last_index - takeover.begins_after,
        "ended_as": takeover.ended_as or None,
    }


def setup_check(episode: Episode) -> None:
    """Raise ``GymError`` if no person can act on the episode's pages in the way that its run does."""
    if not episode.has_page:
        raise GymError("no_page", f"Episode {episode.pk} has no page to act on.", status=422)
    if ARMS[episode.arm].is_probe:
        raise GymError("probe", f"Episode {episode.pk} is a probe, which cannot be taken over.", status=422)
    run = episode.run
    form = setup_of(run, arm=episode.arm, channel=episode.answer_channel).observation
    if not (form.has_text and form.has_ids) or run.grammar not in WRITABLE:
        grammars = " or ".join(GRAMMARS[name].label for name in WRITABLE)
        message = (
            f"Run {run.pk} cannot be taken over: a person's steps are written as {grammars}, with the "
            f"outline of the page and its ids, but the run shows {form.id}, written as {run.grammar}."
        )
        raise GymError("other_setup", message, status=422)


class TakeoverIn(Struct, forbid_unknown_fields=True):
    """The body of a call that starts a takeover. ``person`` is the name to record for whoever acts."""

    person: Annotated[str, Meta(min_length=1, max_length=NAME_CHARS)]


class TakeoverRecord(Struct):
    """A takeover, in which the person took ``steps`` steps. They follow the step ``begins_after``.

    ``ended_as`` is null until the takeover is ended, even if the person has been idle for too long."""

    episode: int
    person: str
    segment: Step.Segment
    begins_after: int
    steps: int
    ended_as: Literal["handed_back", "given_up", "idle", "diverged"] | None


class TakeoverOpened(TakeoverRecord):
    """A takeover that was just started. ``url`` is for the person's browser and works once."""

    url: str


class TakeoverEnd(Struct, forbid_unknown_fields=True):
    how: Literal["handed_back", "given_up"]


class TakeoverView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "episode_takeover",
        "Let a person act in an episode",
        description="Until the person hands it back, the agent's steps are refused with 409 `taken_over`. "
        "A fork in which nothing was done is restored. A person who already acts in the episode gets a new "
        "link, and the old page stops working.",
        body=TakeoverIn,
        answers={201: (TakeoverOpened, "The takeover, and where the person begins.")},
        errors=(400, 404, 409, 422),
    )
    # There is no Idempotency-Key, because the stored answer would contain a working link. A repeated call
    # gets another link.
    def post(self, request: Request, episode_id: int) -> Response:
        body = struct_read(request.data, TakeoverIn)
        record = takeover_begin(episode_id=episode_id, person=body.person, principal=caller(request))
        return Response(record, status=201)


class TakeoverEndView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "episode_takeover_end",
        "End a takeover",
        description="The person does the same with the buttons on the page. Giving up ends the episode.",
        body=TakeoverEnd,
        answers={200: (TakeoverRecord, "The last takeover of the episode.")},
        errors=(400, 404, 409),
    )
    def post(self, request: Request, episode_id: int) -> Response:
        how = struct_read(request.data, TakeoverEnd).how
        return Response(takeover_end(episode_id=episode_id, how=how, principal=caller(request)))
