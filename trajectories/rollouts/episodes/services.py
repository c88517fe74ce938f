"""A harness's calls on an open episode: record steps, submit an answer, close, resume."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec
from django.conf import settings
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from core.episodes import answer_check
from core.errors import GymError
from palaestra.protocol.end_reasons import CLOSE_REASONS
from trajectories.models import Episode, FirstAnswer, PageEvent, Step, Submission, Takeover
from trajectories.record import hot_sql, projects
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes.drafts import entrance
from trajectories.rollouts.episodes.step_records import StepIn, step_row
from trajectories.rollouts.live import events

AnswerCheck = Episode.AnswerCheck


class StepsAnswer(msgspec.Struct):
    """The state of an episode after steps were recorded. ``verdict`` is null until there is one."""

    accepted: int
    duplicates: int
    next_index: int
    steps_left: int
    status: str
    terminated: bool
    truncated: bool
    verdict: Any


def steps_record(*, episode_id: int, steps: list[StepIn], principal: Principal) -> StepsAnswer:
    """Store steps and return the API's response. Sending a step again changes nothing.

    If a step uses up ``max_steps`` and no answer was submitted, the episode ends with the reason
    ``step_budget``, as truncated. Raises ``GymError``: 404 ``unknown_episode``; 409 ``step_conflict``,
    ``episode_final``, ``taken_over``, whose field ``begins_after`` is the last step that is still accepted;
    413 ``step_too_large``.
    """
    result = hot_sql.steps_write(
        episode_id=episode_id,
        steps=[step_row(step) for step in steps],
        grace_s=settings.STEP_GRACE_S,
        project=principal.project or "",
        splits=sorted(principal.splits),
    )
    if result is None or not principal.sees_split(result.split):
        raise unknown_episode(episode_id)
    if result.clashes:
        shown = ", ".join(map(str, result.clashes[:10]))
        message = f"Step {shown} is already stored with different content. This call stored nothing."
        raise GymError("step_conflict", message, status=409, fields={"steps": [message]})
    if hot_sql.is_held(result, [{"index": step.index} for step in steps]) and result.duplicates < len(steps):
        raise taken_over(episode_id, begins_after=result.held_after)
    if not result.is_accepting and result.duplicates < len(steps):
        _check_restored(episode_id)
        message = "The episode accepts no more steps, because it was closed or its verdict is too old."
        raise GymError("episode_final", message, status=409)
    if result.status == Episode.Status.OPEN and result.highest >= result.max_steps:
        _end_by_step_budget(episode_id)
        return _answer(result, state=hot_sql.episode_states([episode_id])[episode_id])
    return _answer(result, state=None)


def _check_restored(episode_id: int) -> None:
    """Raise ``GymError`` 409 ``not_restored`` for a fork that is not yet in its parent's state."""
    if Episode.objects.filter(pk=episode_id, status=Episode.Status.OPEN, inherited_events=None).exists():
        message = f"Episode {episode_id} must first be restored: POST /api/v1/episodes/{episode_id}/restore."
        raise GymError("not_restored", message, status=409)


def _answer(result: hot_sql.StepsWritten, *, state: dict[str, Any] | None) -> StepsAnswer:
    stored = msgspec.Raw(result.verdict.encode()) if result.verdict else None
    return StepsAnswer(
        accepted=result.written,
        duplicates=result.duplicates,
        next_index=result.highest + 1,
        steps_left=max(0, result.max_steps - result.highest),
        status=state["status"] if state else result.status,
        terminated=bool(state["terminated"] if state else result.terminated),
        truncated=bool(state["truncated"] if state else result.truncated),
        verdict=state["verdict"] if state else stored,
    )


def _end_by_step_budget(episode_id: int) -> None:
    run_id = Episode.objects.values_list("run_id", flat=True).get(pk=episode_id)
    verdict = hot_sql.Ending.unjudged(episode_id, "step_budget")
    events.episodes_ended(run_id=run_id, ids=hot_sql.finish_many(run_id=run_id, endings=[verdict]))


class SubmissionAnswer(msgspec.Struct, omit_defaults=True):
    """Response to a submitted answer.

    ``check`` asks the policy to check its first answer; it is to be shown to the policy, and the episode is
    still open. It is absent after the answer that counts."""

    duplicate: bool
    check: str | None = None


def submission_receive(
    *, episode_id: int, answer: str | list[str], principal: Principal, number: int = 1
) -> SubmissionAnswer:
    """Store an answer sent to the API, and return the response.

    Raises ``GymError``: 404 ``unknown_episode``; 409 ``wrong_channel``, ``already_submitted``,
    ``episode_final``, ``other_first_answer``, ``no_first_answer``, ``not_checked``, ``taken_over``; 413
    ``answer_too_large``.
    """
    episode = episode_get(episode_id=episode_id, principal=principal)
    if episode.answer_channel != Episode.Channel.API:
        message = "This episode answers on its page. To answer here, open it with answer_channel 'api'."
        raise GymError("wrong_channel", message, status=409)
    check_free(episode)
    length = len(answer) if isinstance(answer, str) else sum(map(len, answer))
    if length > settings.ANSWER_MAX_CHARS:
        limit = settings.ANSWER_MAX_CHARS
        message = f"The answer has {length:,} characters; the limit is {limit:,} (setting ANSWER_MAX_CHARS)."
        raise GymError("answer_too_large", message, status=413)
    written = hot_sql.submission_write(
        episode_id=episode_id, answer=answer, channel=Episode.Channel.API, number=number
    )
    if written is not None:
        return SubmissionAnswer(duplicate=False, check=answer_check.REQUEST if written == "first" else None)
    # Nothing was stored, so the row now shows which answers there are.
    episode.refresh_from_db(fields=["status", "answer_check"])
    if number == 1 and episode.answer_check != AnswerCheck.NONE:
        return _first_again(episode, answer)
    if number == 2:
        _check_second(episode)
    stored = Submission.objects.filter(episode_id=episode_id).values_list("answer", flat=True).first()
    if stored is None:
        _check_restored(episode_id)
        raise GymError("episode_final", "The episode has ended without a submission.", status=409)
    if stored != answer:
        counts = "it" if number == 2 else "the first one"
        message = f"A different answer is already stored; {counts} counts."
        raise GymError("already_submitted", message, status=409)
    return SubmissionAnswer(duplicate=True)


def _first_again(episode: Episode, answer: str | list[str]) -> SubmissionAnswer:
    """Return the response to a first answer that is sent again, no matter what happened after it."""
    stored = FirstAnswer.objects.filter(episode_id=episode.pk).values_list("answer", flat=True).first()
    if stored is None:
        raise GymError("episode_final", "The episode has ended without a submission.", status=409)
    if stored != answer:
        message = f"Another answer is already stored. {answer_check.REQUEST}"
        raise GymError("other_first_answer", message, status=409)
    is_open = episode.status == Episode.Status.OPEN
    return SubmissionAnswer(duplicate=True, check=answer_check.REQUEST if is_open else None)


def _check_second(episode: Episode) -> None:
    """Refuse a second answer if the episode takes none or has already ended."""
    if episode.answer_check == AnswerCheck.NONE:
        message = "Answers of this run are not checked: send a single answer, without a number."
        raise GymError("not_checked", message, status=409)
    if episode.answer_check == AnswerCheck.DUE and episode.status == Episode.Status.OPEN:
        raise GymError("no_first_answer", "Send the first answer first, as number 1.", status=409)
    if episode.answer_check != AnswerCheck.GIVEN:
        raise GymError("episode_final", "The episode has ended before its second answer.", status=409)


def episode_close(*, episode_id: int, reason: str, detail: str, principal: Principal) -> dict[str, Any]:
    """End an episode and return its record. Closing it again changes nothing.

    ``reason`` decides the verdict unless an answer was submitted. A first answer counts as submitted if
    ``reason`` is the policy's doing. Raises ``GymError``: 404 ``unknown_episode``; 409 ``taken_over``.
    """
    episode = episode_get(episode_id=episode_id, principal=principal)
    check_free(episode)
    verdict = hot_sql.Ending.unjudged(episode_id, CLOSE_REASONS[reason].code)
    ended = hot_sql.finish_many(
        run_id=episode.run_id, endings=[verdict], close_reason=reason, close_detail=detail
    )
    if ended:
        events.episodes_ended(run_id=episode.run_id, ids=ended)
    else:
        Episode.objects.filter(pk=episode_id, closed_at__isnull=True).update(
            closed_at=Now(), close_reason=reason, close_detail=detail
        )
    return hot_sql.episode_states([episode_id])[episode_id]


def episode_resume(*, episode_id: int, principal: Principal) -> dict[str, Any]:
    """Return what an interrupted rollout needs to continue: its address, next step and unsent input.

    ``drafts`` are the values last typed into the page's fields, as the page reported them. Raises
    ``GymError``: 404 ``unknown_episode``; 409 ``episode_final``, ``taken_over``.
    """
    episode = episode_get(episode_id=episode_id, principal=principal)
    if episode.status == Episode.Status.FINISHED:
        raise GymError("episode_final", "The episode has ended; open a new one.", status=409)
    check_free(episode)
    _check_restored(episode_id)
    last = (
        Step.objects.filter(episode_id=episode_id).order_by("-index").values_list("index", flat=True).first()
    )
    return {
        **entrance(episode.task, episode_id=episode_id, arm=episode.arm, variation=episode.variation),
        "next_index": (last or episode.begins_after) + 1,
        "drafts": _drafts(episode_id),
    }


def _drafts(episode_id: int) -> dict[str, str]:
    inputs = PageEvent.objects.filter(episode_id=episode_id, kind="input").order_by(
        "received_at", "page", "seq"
    )
    rows = inputs.values_list("data__field", "data__value")
    return {str(field): str(value) for field, value in rows if field is not None and value is not None}


def episode_get(*, episode_id: int, principal: Principal, only: Sequence[str] = ()) -> Episode:
    """Return the episode. Raises ``GymError`` 404 ``unknown_episode``, also if the key may not see it.

    Its task and run are loaded too, unless ``only`` names the fields that are needed.
    """
    rows = Episode.objects.filter(pk=episode_id)
    rows = rows.select_related("task").only(*only) if only else rows.select_related("task", "run")
    episode = projects.visible(rows, principal).first()
    if episode is None:
        raise unknown_episode(episode_id)
    return episode


def taken(episode_id: int) -> QuerySet[Takeover]:
    """Return the takeover that keeps the agent out of an open episode, if there is one.

    A takeover that was given up or has diverged still does, because the episode ends with it.
    """
    since = Now() - timedelta(seconds=settings.TAKEOVER_IDLE_S)
    holds = Q(ended_at=None, last_at__gt=since) | Q(
        ended_as__in=[Takeover.End.GIVEN_UP, Takeover.End.DIVERGED]
    )
    return Takeover.objects.filter(holds, episode_id=episode_id)


def check_free(episode: Episode) -> None:
    """Raise ``GymError`` 409 ``taken_over`` while a person acts in the episode."""
    if episode.is_taken_over and episode.status == Episode.Status.OPEN and taken(episode.pk).exists():
        raise taken_over(episode.pk)


def taken_over(episode_id: int, *, begins_after: int | None = None) -> GymError:
    """Return the error that refuses an agent's call. ``begins_after`` is the agent's last step."""
    message = f"A person has taken over episode {episode_id}. Wait, and resume it once it is handed back."
    fields = {} if begins_after is None else {"begins_after": [str(begins_after)]}
    return GymError("taken_over", message, status=409, fields=fields)


def unknown_episode(episode_id: int) -> GymError:
    return GymError("unknown_episode", f"There is no episode {episode_id}.", status=404)
