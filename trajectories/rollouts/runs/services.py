"""The creation of runs, policy versions and metrics, and the cancelling of episodes."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from core.database.sql import Statement
from core.errors import GymError
from trajectories.models import Episode, Group, PolicyVersion, Report, Run, RunMetrics, VerdictCounter
from trajectories.record import hot_sql, projects
from trajectories.record.api.auth import Principal
from trajectories.rewards.profiles.store import SETTING, check_may_pay, profile_get
from trajectories.rollouts.live import events

SHOWN_MAX = 10

REGISTER = Statement(__file__, "policy_register")


@transaction.atomic
def run_create(*, fields: dict[str, Any], principal: Principal) -> Run:
    """Create a run, with its verdict counter at zero.

    Raises ``GymError`` 422 ``unknown_report``, ``unknown_profile``, ``profile_refused`` or
    ``judge_not_certified``.
    """
    report = fields.pop("report", None)
    if report is not None and not projects.visible(Report.objects.filter(pk=report), principal).exists():
        message = f"There is no report {report}."
        raise GymError("unknown_report", message, status=422, fields={"report": [message]})
    if reference := fields["settings"].get(SETTING):
        # Store the version that the profile's name refers to now, so that a later version does not change the
        # run's rewards.
        named = profile_get(reference, viewer=principal)
        if fields["kind"] == Run.Kind.TRAIN:
            check_may_pay(named.profile, viewer=principal)
        fields["settings"] = {**fields["settings"], SETTING: named.reference}
    owner = {"project": principal.project, "created_by_id": principal.key_id}
    run = Run.objects.create(**fields, **owner, report_id=report)
    VerdictCounter.objects.create(run=run)
    run.refresh_from_db()
    return run


def policy_register(
    *, run: Run, version: int, checkpoint: str, trainer_step: int | None
) -> tuple[PolicyVersion, bool]:
    """Register a policy version. Return it, and whether this call created it.

    Raises ``GymError`` 409 ``policy_version_exists`` (same number, other content) or
    ``policy_version_not_growing`` (lower than the newest).
    """
    content = {"checkpoint": checkpoint, "trainer_step": trainer_step}
    is_new = REGISTER.row(run=run.pk, version=version, **content) is not None
    stored = PolicyVersion.objects.filter(run=run, version=version).first()
    if stored is None:
        newest = (
            PolicyVersion.objects.filter(run=run).order_by("-version").values_list("version", flat=True)[0]
        )
        message = f"Policy versions must increase: the newest is {newest}; {version} was not registered."
        raise GymError("policy_version_not_growing", message, status=409)
    if {"checkpoint": stored.checkpoint, "trainer_step": stored.trainer_step} != content:
        message = f"Policy version {version} is already registered with different content."
        raise GymError("policy_version_exists", message, status=409)
    return stored, is_new


def metrics_record(*, run: Run, policy_version: int | None, values: dict[str, float]) -> RunMetrics:
    metrics = RunMetrics.objects.create(run=run, policy_version=policy_version, values=values)
    metrics.refresh_from_db(fields=["created_at"])
    return metrics


def episodes_cancel(
    *,
    run: Run,
    principal: Principal,
    reason: str,
    groups: list[int] | None = None,
    policy_version_before: int | None = None,
) -> list[int]:
    """End open and submitted episodes as void/``cancelled``. Return the ids that this call ended.

    Raises ``GymError`` 422 ``unknown_group``.
    """
    unfinished = Episode.objects.filter(group__run=run, group__completed_seq=None, verdict=None)
    episodes = projects.visible(unfinished, principal)
    if groups is not None:
        _check_groups(run, groups)
        episodes = episodes.filter(group__in=groups)
    else:
        episodes = episodes.filter(policy_version__lt=policy_version_before)
    ids = list(episodes.order_by("pk").values_list("pk", flat=True))
    with transaction.atomic():
        ended = hot_sql.finish_many(
            run_id=run.pk,
            endings=[hot_sql.Ending.unjudged(pk, "cancelled") for pk in ids],
            statuses=[Episode.Status.OPEN, Episode.Status.SUBMITTED],
            close_reason="cancelled",
            close_detail=reason,
        )
        events.episodes_ended(run_id=run.pk, ids=ended)
    return sorted(ended)


def _check_groups(run: Run, groups: list[int]) -> None:
    known = set(Group.objects.filter(run=run, pk__in=groups).values_list("pk", flat=True))
    missing = sorted(set(groups) - known)
    if missing:
        shown = ", ".join(map(str, missing[:SHOWN_MAX]))
        message = f"This run has no group {shown}{' and others' if len(missing) > SHOWN_MAX else ''}."
        raise GymError("unknown_group", message, status=422, fields={"groups": [message]})
