"""Queries for lists of episodes, and for one episode with its answer and verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from django.conf import settings
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import Http404

from tasks_app.models import Gold
from trajectories.models import Episode, FirstAnswer, Step, Submission, Verdict, VerdictEvidence
from trajectories.shell.queries.tasks import task_excerpt
from trajectories.shell.text.values import Value, fields_of, values_of

EPISODES_PER_PAGE = 50
GROUP_SHOWN = 200
WATCH_TIME_MAX = timedelta(seconds=30)

# The columns that a list's row shows; large ones (prompt, payload, settings, evidence) are not fetched.
LISTED = (
    "arm",
    "status",
    "sample_index",
    "policy_version",
    "guidance",
    "parent_id",
    "is_taken_over",
    "begins_after",
    "opened_at",
    "finished_at",
    "max_steps",
    "run__name",
    "run__model",
    "run__simulated",
    "task__benchmark_id",
    "task__split",
    "task__key",
    "verdict__outcome",
    "verdict__reason",
    "verdict__score",
)


class LiveState(StrEnum):
    """An episode's stage for live pages; in ``ENDING`` it is judged, but steps and facts may still arrive."""

    OPEN = "open"
    ENDING = "ending"
    ENDED = "ended"


@dataclass(frozen=True, kw_only=True)
class EpisodeList:
    """The newest episodes of a run or task; ``has_more`` if there are older ones."""

    episodes: Sequence[Episode]
    has_more: bool


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """An episode's current verdict with its evidence, and earlier verdicts, newest first."""

    current: Verdict | None
    earlier: list[Verdict]
    evidence: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An episode's submitted answer; ``values`` are its parts by field if the task has several fields."""

    submission: Submission
    values: list[Value]


def episodes_newest(**of: int) -> EpisodeList:
    """Return the newest episodes of a run (``run_id``) or task (``task_id``)."""
    rows = list(list_episodes(Episode.objects.filter(**of)).order_by("-id")[: EPISODES_PER_PAGE + 1])
    return EpisodeList(episodes=rows[:EPISODES_PER_PAGE], has_more=len(rows) > EPISODES_PER_PAGE)


def list_episodes(query: QuerySet[Episode]) -> QuerySet[Episode]:
    """Return the episodes with the columns of a list's row, including the ``excerpt`` of the question,
    ``last_index``, and ``steps_recorded``, which is lower if step numbers are missing.
    """
    steps = Step.objects.filter(episode_id=OuterRef("pk")).order_by()
    counted = steps.values("episode_id").annotate(number=Count("index"))
    return (
        query.select_related("run", "task", "verdict")
        .only(*LISTED)
        .annotate(
            last_index=Subquery(steps.order_by("-index").values("index")[:1]),
            steps_recorded=Subquery(counted.values("number")),
            excerpt=task_excerpt(task="task__"),
        )
    )


def episode_get(episode_id: int) -> Episode:
    """Return the episode with its run, task, group and current verdict. Raises ``Http404`` if unknown."""
    return _or_404(Episode.objects.select_related("run", "task__benchmark", "group", "verdict"), episode_id)


def episode_live(episode_id: int) -> Episode:
    """Return the few columns that open pages poll every few seconds. Raises ``Http404`` if unknown."""
    rows = Episode.objects.select_related("verdict").only(
        "status", "variation", "finished_at", "closed_at", "verdict__outcome", "verdict__reason"
    )
    return _or_404(rows, episode_id)


def episode_alone(episode_id: int) -> Episode:
    """Return the episode's row without related rows. Raises ``Http404`` if unknown."""
    return _or_404(Episode.objects.all(), episode_id)


def _or_404(rows: QuerySet[Episode], episode_id: int) -> Episode:
    episode = rows.filter(pk=episode_id).first()
    if episode is None:
        raise Http404(f"There is no episode {episode_id}.")
    return episode


def live_state(episode: Episode, *, is_measured: bool, now: datetime) -> LiveState:
    """Return the episode's stage, which determines if a page waits for more after the verdict.

    The last steps arrive until the client calls ``close``, and the facts follow. A client that never closes
    may post steps for ``STEP_GRACE_S``, but a page waits no longer than ``watch_time``.
    """
    if episode.finished_at is None:
        return LiveState.OPEN
    is_complete = episode.closed_at is not None and is_measured
    is_recent = now - episode.finished_at < watch_time()
    return LiveState.ENDING if is_recent and not is_complete else LiveState.ENDED


def watch_time() -> timedelta:
    """Return how long a page waits after a verdict for last steps and facts."""
    return min(WATCH_TIME_MAX, timedelta(seconds=settings.STEP_GRACE_S))


def episode_answer(episode: Episode) -> Answer | None:
    submission = Submission.objects.filter(episode_id=episode.pk).first()
    if submission is None:
        return None
    return Answer(submission=submission, values=values_of(fields_of(episode.task), given=submission.answer))


def first_answer(episode: Episode) -> FirstAnswer | None:
    """Return the answer whose check was requested; takes no query if the run does not check answers."""
    if episode.answer_check in ("", Episode.AnswerCheck.DUE):
        return None
    return FirstAnswer.objects.filter(episode_id=episode.pk).first()


def episode_judgement(episode: Episode) -> Judgement:
    verdicts = list(Verdict.objects.filter(episode_id=episode.pk).order_by("-id"))
    current = episode.verdict
    evidence = VerdictEvidence.objects.filter(verdict=current).first() if current else None
    return Judgement(
        current=current,
        earlier=[verdict for verdict in verdicts if verdict.pk != episode.verdict_id],
        evidence=evidence.data if evidence and isinstance(evidence.data, dict) else {},
    )


def gold_current(*, task_id: int) -> Gold | None:
    """Return a task's current gold. Call it only for users who pass ``access.sees_golds``."""
    return Gold.objects.filter(task_id=task_id, is_current=True).first()


def group_members(episode: Episode) -> list[Episode]:
    """Return the samples of the same task that the same request opened, including this episode."""
    return list(
        Episode.objects.filter(group_id=episode.group_id)
        .select_related("verdict")
        .only("sample_index", "status", "verdict__outcome")
        .order_by("sample_index")[:GROUP_SHOWN]
    )
