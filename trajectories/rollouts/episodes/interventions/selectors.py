"""Interventions with their results, and the substeps at which an episode can take one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Q

from core.errors import GymError
from palaestra.protocol.outcomes import JUDGED
from trajectories.models import Episode, Intervention, Step, Verdict
from trajectories.record import projects
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes import services
from trajectories.rollouts.episodes.conversations import is_too_long
from trajectories.rollouts.episodes.forks.lineage import turns_until
from trajectories.rollouts.episodes.interventions.messages import (
    content_of,
    prefill_message,
    problem_of,
    substeps_of,
)

VOID, CORRECT = Verdict.Outcome.VOID, Verdict.Outcome.CORRECT


def intervention_get(intervention_id: int, *, principal: Principal) -> dict[str, Any]:
    """Return the record of an intervention.

    Raises ``GymError`` 404 ``unknown_intervention``, also if the key may not see it.
    """
    rows = Intervention.objects.select_related("group").filter(pk=intervention_id)
    intervention = projects.visible(rows, principal).first()
    if intervention is None:
        raise GymError("unknown_intervention", f"There is no intervention {intervention_id}.", status=404)
    return intervention_records([intervention])[0]


def intervention_list(
    *, principal: Principal, limit: int, before: int | None = None, **filters: int
) -> list[dict[str, Any]]:
    """List interventions, newest first: up to ``limit``, plus one if there is a next page."""
    columns = {"run": "group__run", "episode": "episode"}
    rows = Intervention.objects.select_related("group").filter(
        **{columns[name]: value for name, value in filters.items()}
    )
    if before is not None:
        rows = rows.filter(pk__lt=before)
    return intervention_records(list(projects.visible(rows, principal).order_by("-pk")[: limit + 1]))


def intervention_records(interventions: Sequence[Intervention]) -> list[dict[str, Any]]:
    """Return the records of interventions, with the results of their continuations so far.

    Each intervention needs its ``group`` loaded.
    """
    results = list_continuations([one.group_id for one in interventions])
    return [
        {
            "id": one.pk,
            "run": one.group.run_id,
            "group": one.group_id,
            "episode": one.episode_id,
            **{name: getattr(one, name) for name in ("step", "substep", "text", "sha256")},
            **{name: getattr(one, name) for name in ("author_kind", "author", "created_at")},
            "message": prefill_message(one),
            "continuations": results[one.group_id],
        }
        for one in interventions
    ]


def list_continuations(groups: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Count each group's continuations by outcome, leaving out those that a person took over."""
    rows = (
        Episode.objects.filter(group__in=groups, takeovers=None)
        .values("group")
        .annotate(
            opened=Count("pk"),
            judged=Count("pk", filter=Q(verdict__outcome__in=JUDGED)),
            correct=Count("pk", filter=Q(verdict__outcome=CORRECT)),
            void=Count("pk", filter=Q(verdict__outcome=VOID)),
        )
    )
    nothing = {"opened": 0, "judged": 0, "correct": 0, "void": 0, "success_rate": None}
    results: dict[int, dict[str, Any]] = dict.fromkeys(groups, nothing)
    for row in rows:
        rate = row["correct"] / row["judged"] if row["judged"] else None
        counts = {name: row[name] for name in ("opened", "judged", "correct", "void")}
        results[row["group"]] = {**counts, "success_rate": rate}
    return results


def substep_list(episode_id: int, *, principal: Principal) -> list[dict[str, Any]]:
    """Return the substeps of each step of an episode, including inherited steps.

    Raises ``GymError`` 404 ``unknown_episode``, 413 ``conversation_too_long``.
    """
    services.episode_get(episode_id=episode_id, principal=principal)
    episode = Episode.objects.select_related("run").get(pk=episode_id)
    last = (
        Step.objects.filter(episode_id=episode_id).order_by("-index").values_list("index", flat=True).first()
    )
    if last is None:
        return []
    if is_too_long(episode_id, last=last):
        message = f"Episode {episode_id} is too long for its text to be sent in one answer."
        raise GymError("conversation_too_long", message, status=413)
    return [
        {
            "step": turn.index,
            "problem": problem_of(turn.raw, turn.thought, episode),
            "substeps": substeps_of(content_of(turn.raw, episode)),
        }
        for turn in turns_until(episode_id, last)
    ]
