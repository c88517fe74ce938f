"""Reads about runs: records, groups as they complete, and results by task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet

from core.database.sql import Statement
from core.errors import GymError
from palaestra.protocol.arms import PROBE_ARMS
from palaestra.protocol.outcomes import CORRECT, JUDGED, VOID
from trajectories.models import Episode, Run, VerdictCounter
from trajectories.models.origins import GROUP_ORIGIN_SQL
from trajectories.record import projects
from trajectories.record.api.auth import Principal
from trajectories.record.hot_sql import UNFINISHED
from trajectories.rewards.profiles.store import Named
from trajectories.rewards.selectors import Rewards, get_named_profile, rewards_of
from trajectories.rollouts.runs.records import GroupRecord, PromptTotals, UsageTotals
from trajectories.rollouts.runs.replays import SuccessRecord, plan_of, read_replays, successes_before

COLUMNS = ("characters", "longest_characters", "tokens", "longest_tokens")
SHOWN_MAX = 10

STORE = Statement(__file__, "prompt_sizes_store")
TOTALS = Statement(__file__, "prompt_totals")


@transaction.atomic
def prompt_sizes_store(
    *, run: Run, principal: Principal, history: str, episodes: Sequence[Mapping[str, Any]]
) -> int:
    """Store the prompt lengths of a run's episodes under one history. Return how many were stored.

    Raises ``GymError`` 422 ``unknown_episode``, and stores none, if the run lacks any of the episodes.
    """
    by_episode = {size["episode"]: size for size in episodes}
    columns = {name: [size.get(name) for size in by_episode.values()] for name in COLUMNS}
    stored = STORE.rows(
        run=run.pk, splits=sorted(principal.splits), history=history, episodes=list(by_episode), **columns
    )
    if missing := by_episode.keys() - {episode for (episode,) in stored}:
        shown = ", ".join(map(str, sorted(missing)[:SHOWN_MAX]))
        raise GymError("unknown_episode", f"Run {run.pk} has no episode {shown}.", status=422)
    return len(stored)


def prompt_totals(*, run: Run, tasks: Sequence[int]) -> dict[int, list[dict[str, Any]]]:
    """Return the fields of ``PromptTotals`` by task, with one entry per history."""
    totals = defaultdict[int, list[dict[str, Any]]](list)
    for task, *columns in TOTALS.rows(run=run.pk, tasks=list(tasks)):
        totals[task].append(dict(zip(PromptTotals.__struct_fields__, columns, strict=True)))
    return totals


GROUPS_AFTER = Statement(__file__, "groups_after", origin=GROUP_ORIGIN_SQL)
PROGRESS = Statement(__file__, "progress", unfinished=UNFINISHED)
TASK_RECENT = Statement(__file__, "task_recent")
TASK_USAGE = Statement(__file__, "task_usage")


def run_get(run_id: int, *, principal: Principal) -> Run:
    """Return the run.

    Raises ``GymError`` 404 ``unknown_run``, also if the run belongs to another project than the key.
    """
    run = _with_version(projects.visible(Run.objects.filter(pk=run_id), principal)).first()
    if run is None:
        raise GymError("unknown_run", f"There is no run {run_id}.", status=404)
    return run


def run_list(
    *,
    kind: str | None,
    tag: str | None,
    name: str | None,
    before: int | None,
    limit: int,
    principal: Principal,
) -> list[Run]:
    """List runs, newest first: up to ``limit``, plus one if there is a next page."""
    runs = _with_version(projects.visible(Run.objects.all(), principal))
    if kind is not None:
        runs = runs.filter(kind=kind)
    if tag is not None:
        runs = runs.filter(tags__contains=[tag])
    if name is not None:
        runs = runs.filter(name=name)
    if before is not None:
        runs = runs.filter(pk__lt=before)
    return list(runs.order_by("-pk")[: limit + 1])


def run_counts(run: Run) -> dict[str, Any]:
    """Count the run's episodes by status, and its verdicts so far."""
    ((verdicts, opened, submitted),) = PROGRESS.rows(run=run.pk)
    return {"episodes": {"open": opened, "submitted": submitted, "finished": verdicts}, "verdicts": verdicts}


def groups_after(
    *, run: Run, after: int, limit: int, origin: str = "", profile: str = "", principal: Principal
) -> tuple[list[dict[str, Any]], int]:
    """Return the groups completed after a position in the run's verdict stream, and the next position.

    A group that is refilled completes again. Only groups of ``origin`` are returned, or all if it is empty.
    If ``profile`` or the run names a reward profile, each group has its episodes' rewards by that profile.
    """
    splits = sorted(principal.splits)
    rows = GROUPS_AFTER.rows(run=run.pk, after=after, limit=limit, splits=splits, origin=origin)
    *fields, replayed, paid = GroupRecord.__struct_fields__
    groups = [dict(zip(fields, row[2:], strict=True)) for row in rows if row[1] is not None]
    plan, ids = plan_of(run), [group["group"] for group in groups]
    replays = read_replays(run_id=run.pk, groups=ids, plan=plan) if plan and ids else {}
    for group in groups:
        group[replayed], group[paid] = replays.get(group["group"]), None
    if groups and (named := get_named_profile(run, profile, viewer=principal)):
        by_group = _paid(ids, named)
        for group in groups:
            group[paid] = by_group[group["group"]]
    newest = rows[-1][1] if len(groups) == limit else rows[0][0]
    return groups, max(after, newest)


def _paid(groups: Sequence[int], named: Named) -> dict[int, list[Rewards]]:
    """Return the rewards of the groups' episodes, in the order of sample indexes."""
    episodes = Episode.objects.filter(group__in=groups).order_by("sample_index").values_list("group", "pk")
    members = list(episodes)
    rewards = rewards_of([pk for _, pk in members], named=named)
    paid: dict[int, list[Rewards]] = {group: [] for group in groups}
    for group, pk in members:
        paid[group].append(rewards[pk])
    return paid


def successes(
    *, run: Run, limit: int, cursor: int | None = None, principal: Principal, **filters: Any
) -> tuple[list[SuccessRecord], int | None]:
    """Return a run's successes, newest first, and the position to continue from, or None at the end."""
    if cursor is None:
        cursor = VerdictCounter.objects.values_list("count", flat=True).get(run=run) + 1
    splits = sorted(principal.splits)
    return successes_before(run_id=run.pk, before=cursor, limit=limit, splits=splits, **filters)


def task_stats(
    *, run: Run, after: int, limit: int, recent: int, principal: Principal
) -> list[dict[str, Any]]:
    """Return a run's results by task id.

    ``recent`` is how many of a task's newest episodes count as recent. Only plain episodes that are no probes
    are considered."""
    episodes = projects.visible(Episode.objects.filter(run=run, task__gt=after), principal)
    rows = (
        episodes.values("task_id")
        .annotate(
            samples=Count("pk"),
            judged=Count("pk", filter=Q(verdict__outcome__in=JUDGED)),
            void=Count("pk", filter=Q(verdict__outcome=VOID)),
            correct=Count("pk", filter=Q(verdict__outcome=CORRECT)),
            last_policy_version=Max("policy_version"),
        )
        .order_by("task_id")[: limit + 1]
    )
    tasks = [row["task_id"] for row in rows]
    usage, prompts = _task_usage(run=run, tasks=tasks), prompt_totals(run=run, tasks=tasks)
    recents = TASK_RECENT.rows(run=run.pk, tasks=tasks, recent=recent, probes=list(PROBE_ARMS))
    newest = {task: of for task, *of in recents}
    return [
        {
            **_stats_record(row),
            "recent": dict(
                zip(("judged", "mean_reward"), newest.get(row["task_id"], (0, None)), strict=True)
            ),
            "usage": usage.get(row["task_id"]),
            "prompts": prompts.get(row["task_id"], []),
        }
        for row in rows
    ]


def _task_usage(*, run: Run, tasks: Sequence[int]) -> dict[int, dict[str, int]]:
    """Return the usage of each task's judged episodes, with the columns of ``task_usage.sql``."""
    names = UsageTotals.__struct_fields__
    rows = TASK_USAGE.rows(run=run.pk, tasks=list(tasks))
    return {row[0]: dict(zip(names, row[1:], strict=True)) for row in rows}


def _with_version(runs: QuerySet[Run]) -> QuerySet[Run]:
    return runs.annotate(policy_version=Max("policy_versions__version"))


def _stats_record(row: Mapping[str, Any]) -> dict[str, Any]:
    judged = row["judged"]
    return {
        "task": row["task_id"],
        "samples": row["samples"],
        "judged": judged,
        "void": row["void"],
        "mean_reward": row["correct"] / judged if judged else None,
        "last_policy_version": row["last_policy_version"],
    }
