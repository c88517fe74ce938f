"""Lists of episodes, and one episode with its verdict."""

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
from trajectories.lab.queries.tasks import task_excerpt
from trajectories.models import Episode, PageEventTally, Step, Submission, Verdict, VerdictEvidence

EPISODES_PER_PAGE = 50
NEIGHBOURS_SHOWN = 200
WATCHED_MOST = timedelta(seconds=30)

# What a row of the list shows; the big columns (prompt, payload, settings, evidence) stay where they are.
LISTED = (
    "arm",
    "status",
    "sample_index",
    "policy_version",
    "guidance",
    "opened_at",
    "max_steps",
    "run__name",
    "run__model",
    "run__simulated",
    "task__benchmark_id",
    "task__split",
    "task__key",
    "verdict__outcome",
    "verdict__reason",
)


class LiveState(StrEnum):
    """``ENDING`` has its verdict, and may get its last steps and what is computed of them."""

    OPEN = "open"
    ENDING = "ending"
    ENDED = "ended"


@dataclass(frozen=True, kw_only=True)
class EpisodePage:
    """Episodes, newest first; ``has_more`` when there are older ones."""

    episodes: Sequence[Episode]
    has_more: bool


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The verdicts of an episode, newest first, and what the current one was reached from."""

    current: Verdict | None
    earlier: list[Verdict]
    evidence: dict[str, Any]


def episodes_newest(**of: int) -> EpisodePage:
    """The newest episodes of ``run_id`` or ``task_id``."""
    found = list(episodes_listed(Episode.objects.filter(**of)).order_by("-id")[: EPISODES_PER_PAGE + 1])
    return EpisodePage(episodes=found[:EPISODES_PER_PAGE], has_more=len(found) > EPISODES_PER_PAGE)


def episodes_listed(query: QuerySet[Episode]) -> QuerySet[Episode]:
    """The episodes with what a row shows of them: ``last_index`` and ``steps_recorded``, which is less where
    numbers are missing, and the question's ``excerpt`` included."""
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
    """The episode with its run, task, group and current verdict, or 404."""
    episode = (
        Episode.objects.select_related("run", "task__benchmark", "group", "verdict")
        .filter(pk=episode_id)
        .first()
    )
    if episode is None:
        raise Http404(f"There is no episode {episode_id}.")
    return episode


def episode_followed(episode_id: int) -> Episode:
    """The episode with what tells whether it has news, or 404: every reader's page asks every few seconds."""
    episode = (
        Episode.objects.filter(pk=episode_id)
        .select_related("verdict")
        .only("status", "variation", "finished_at", "closed_at", "verdict__outcome", "verdict__reason")
        .first()
    )
    if episode is None:
        raise Http404(f"There is no episode {episode_id}.")
    return episode


def episode_alone(episode_id: int) -> Episode:
    """The episode's own row, or 404: for parts of pages that seldom need more."""
    episode = Episode.objects.filter(pk=episode_id).first()
    if episode is None:
        raise Http404(f"There is no episode {episode_id}.")
    return episode


def live_state(episode: Episode, *, is_measured: bool, now: datetime) -> LiveState:
    """Whether a page should wait for more: after the verdict come the last steps, until ``close``, and what a
    worker computes of all steps.

    A client that never closes may post for ``STEP_GRACE_S``; nobody is told to watch for that long.
    """
    if episode.finished_at is None:
        return LiveState.OPEN
    is_complete = episode.closed_at is not None and is_measured
    is_recent = now - episode.finished_at < watched()
    return LiveState.ENDING if is_recent and not is_complete else LiveState.ENDED


def watched() -> timedelta:
    """How long a page waits after a verdict for what may still come."""
    return min(WATCHED_MOST, timedelta(seconds=settings.STEP_GRACE_S))


def episode_submission(episode: Episode) -> Submission | None:
    return Submission.objects.filter(episode_id=episode.pk).first()


def episode_events_tally(episode: Episode) -> PageEventTally | None:
    return PageEventTally.objects.filter(episode_id=episode.pk).first()


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
    """The reference answer; only for people whom ``access.sees_golds`` lets see it."""
    return Gold.objects.filter(task_id=task_id, is_current=True).first()


def neighbours_in_group(episode: Episode) -> list[Episode]:
    """The samples of the same task opened by the same call, this one included."""
    return list(
        Episode.objects.filter(group_id=episode.group_id)
        .select_related("verdict")
        .only("sample_index", "status", "verdict__outcome")
        .order_by("sample_index")[:NEIGHBOURS_SHOWN]
    )
