"""Takeovers: a person acts in place of the agent, until that ends."""

from __future__ import annotations

import secrets
from typing import Any

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from core.errors import GymError
from core.tokens import code_digest
from palaestra.protocol.arms import ARMS
from palaestra.protocol.grammars import GRAMMARS
from trajectories.models import Episode, Step, Takeover
from trajectories.record import hot_sql
from trajectories.record.api.auth import Principal
from trajectories.record.prompts.interface import setup_of
from trajectories.rollouts.episodes import services
from trajectories.rollouts.episodes.takeovers import entries
from trajectories.rollouts.live import notices

CODE_BYTES = 32
NAME_CHARS = 150
WRITABLE = ("json", "functions")
"""Grammars in which the arena can write a person's actions."""


def takeover_begin(*, episode_id: int, person: str, principal: Principal) -> dict[str, Any]:
    """Let ``person`` act in an open episode; returns the API's record, whose ``url`` works once.

    A fork in which nothing was done is restored, and who acts in it already begins again. Raises
    ``GymError``: 404 ``unknown_episode``; 409 ``episode_final``, ``taken_over``, ``parent_gone``; 422
    ``no_page``, ``probe``, ``other_setup``.
    """
    services.episode_get(episode_id=episode_id, principal=principal)
    code = secrets.token_urlsafe(CODE_BYTES)
    with transaction.atomic():
        # The lease comes first: what the agent does from now on is refused, and what it did is on record.
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
        _enter(takeover, entries.entry_of(episode, principal))
    return {**_record(takeover), "url": f"{settings.ARENA_URL}/takeover/{code}"}


def _check_free(episode: Episode, person: str) -> None:
    """Raise ``GymError`` 409 ``taken_over`` while another acts. Whose tab is lost takes over from it."""
    held = services.taken(episode.pk).exclude(person=person[:NAME_CHARS], ended_at=None)
    if held.exists():
        raise services.taken_over(episode.pk)


def _enter(takeover: Takeover, entry: entries.Entry) -> None:
    takeover.begins_after = takeover.last_index = entry.begins_after
    # Nothing has gone wrong before the first step: what is shown is how the task is done.
    takeover.segment = Step.Segment.RECOVERY if entry.begins_after else Step.Segment.CORRECTION
    takeover.element_ids, takeover.entry = entry.element_ids, entry.address
    takeover.as_of = entry.visits[0].as_of if entry.visits else None
    takeover.acts, takeover.expected = msgspec.to_builtins(entry.visits), entry.expected
    takeover.save()


def takeover_end(*, episode_id: int, how: str, principal: Principal) -> dict[str, Any]:
    """End the takeover of an episode as ``handed_back`` or ``given_up``; ending again changes nothing.

    Raises ``GymError``: 404 ``unknown_episode``; 409 ``not_taken_over``.
    """
    run_id = services.episode_get(episode_id=episode_id, principal=principal).run_id
    if _end(services.taken(episode_id).filter(ended_at=None), how) and how == Takeover.End.GIVEN_UP:
        ending = hot_sql.Ending.unjudged(episode_id, "no_submission")
        ended = hot_sql.finish_many(run_id=run_id, endings=[ending], statuses=[Episode.Status.OPEN])
        notices.episodes_ended(run_id=run_id, ids=ended)
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
    """Raise ``GymError`` for an episode whose pages no person can act on in the run's own way."""
    if not episode.has_page:
        raise GymError("no_page", f"Episode {episode.pk} has no page to act on.", status=422)
    if ARMS[episode.arm].is_probe:
        raise GymError(
            "probe", f"Episode {episode.pk} is a probe: there is nothing to take over.", status=422
        )
    run = episode.run
    form = setup_of(run, arm=episode.arm, channel=episode.answer_channel).observation
    if not (form.has_text and form.has_ids) or run.grammar not in WRITABLE:
        grammars = " or ".join(GRAMMARS[name].label for name in WRITABLE)
        message = (
            f"Run {run.pk} cannot be taken over: a person's steps are written as {grammars}, with the "
            f"outline of the page and its ids; the run shows {form.id}, written as {run.grammar}."
        )
        raise GymError("other_setup", message, status=422)
