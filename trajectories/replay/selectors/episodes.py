"""Lists of episodes, and one episode with its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Max, OuterRef, Q, QuerySet, Subquery
from django.http import Http404

from tasks_app.models import Gold
from trajectories.models import Episode, PageEventTally, Step, Submission, Verdict, VerdictEvidence
from trajectories.replay.selectors.tasks import task_excerpt

EPISODES_PER_PAGE = 50
EXCERPT_CHARS = 160
NEIGHBOURS_SHOWN = 200
BIGINT_MAX = 2**63 - 1

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
    "run__simulated",
    "task__benchmark_id",
    "task__split",
    "task__key",
    "verdict__outcome",
    "verdict__reason",
)


@dataclass(frozen=True, kw_only=True)
class EpisodePage:
    """One page of episodes, newest first; ``older`` is the cursor of the next page."""

    episodes: Sequence[Episode]
    older: int | None


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The verdicts of an episode, newest first, and what the current one was reached from."""

    current: Verdict | None
    earlier: list[Verdict]
    evidence: dict[str, Any]


def episode_page(*, filters: dict[str, Any], before: int | None) -> EpisodePage:
    query = _filtered(filters)
    if before is not None:
        query = query.filter(id__lt=before)
    last_index = (
        Step.objects.filter(episode_id=OuterRef("pk"))
        .order_by()
        .values("episode_id")
        .annotate(last=Max("index"))
    )
    found = list(
        query.select_related("run", "task", "verdict")
        .only(*LISTED)
        .annotate(
            last_index=Subquery(last_index.values("last")),
            excerpt=task_excerpt(EXCERPT_CHARS, task="task__"),
        )
        .order_by("-id")[: EPISODES_PER_PAGE + 1]
    )
    shown = found[:EPISODES_PER_PAGE]
    return EpisodePage(episodes=shown, older=shown[-1].pk if len(found) > EPISODES_PER_PAGE else None)


def _filtered(filters: dict[str, Any]) -> QuerySet[Episode]:
    """Only the filters that are set; their names are those of the list's form."""
    columns = {
        "run": "run_id",
        "task": "task_id",
        "benchmark": "task__benchmark_id",
        "arm": "arm",
        "status": "status",
        "outcome": "verdict__outcome",
        "reason": "verdict__reason",
    }
    query = Episode.objects.filter(
        **{column: filters[name] for name, column in columns.items() if filters.get(name)}
    )
    words = filters.get("q")
    return query.filter(_matches(words)) if words else query


def _matches(words: str) -> Q:
    matches = Q(task__key__icontains=words) | Q(task__prompt__icontains=words)
    if words.isascii() and words.isdigit() and int(words) <= BIGINT_MAX:
        matches |= Q(id=int(words))
    return matches


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


def is_live(episode: Episode, *, now: datetime) -> bool:
    """Whether steps may still come: the last one is posted after the submission, until ``close``."""
    if episode.closed_at is not None:
        return False
    return episode.finished_at is None or now - episode.finished_at < timedelta(seconds=settings.STEP_GRACE_S)


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
