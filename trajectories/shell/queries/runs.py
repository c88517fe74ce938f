"""Queries for runs, as pages and as choices of filters, and for tallies of episodes by run, arm and task."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.http import Http404

from core.database.sql import Statement
from core.statistics import Clusters, Rate, rate_of
from palaestra.protocol.end_reasons import HARMLESS_VOIDS
from trajectories.models import PolicyVersion, Run
from trajectories.models.sums import Scope
from trajectories.record.hot_sql import UNFINISHED

POLICY_VERSIONS_SHOWN = 100
RUN_CHOICES = 200
MODEL_CHOICES = 500
COUNTS = ("episodes", "open", "submitted", "correct", "incorrect", "void", "void_ours", "set_apart")


def run_get(run_id: int) -> Run:
    """Return a run. Raises ``Http404`` if it does not exist."""
    run = Run.objects.select_related("created_by").filter(pk=run_id).first()
    if run is None:
        raise Http404(f"There is no run {run_id}.")
    return run


def run_policy_versions(*, run_id: int) -> list[PolicyVersion]:
    """Return a run's newest policy versions, newest first."""
    return list(PolicyVersion.objects.filter(run_id=run_id).order_by("-version")[:POLICY_VERSIONS_SHOWN])


def run_choices(*, selected: int | None = None) -> list[tuple[int, str]]:
    """Return the ids and names of the newest runs, and of the selected run if it is older."""
    newest = list(Run.objects.order_by("-id").values_list("id", "name")[:RUN_CHOICES])
    if selected is None or selected in dict(newest):
        return newest
    return newest + list(Run.objects.filter(pk=selected).values_list("id", "name"))


def list_models() -> list[str]:
    """Return the names of the models that runs used."""
    models = Run.objects.exclude(model="").order_by("model").values_list("model", flat=True)
    return list(models.distinct()[:MODEL_CHOICES])


# Guided episodes are counted but left out of rates, since their answers are not the policy's alone.
BY_RUN = Statement(__file__, "sum_tallies", unfinished=UNFINISHED, part="run_id", key="run_id")
BY_ARM = Statement(__file__, "sum_tallies", unfinished=UNFINISHED, part="arm", key="part")
OF_TASK = Statement(__file__, "task_tallies")


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Counts of episodes by state; ``rate`` is None if no episode has been judged."""

    episodes: int = 0
    open: int = 0
    submitted: int = 0
    correct: int = 0
    incorrect: int = 0
    void: int = 0
    void_ours: int = 0
    set_apart: int = 0  # forked, guided or taken over, and therefore left out of rates
    rate: Rate | None = None

    @property
    def judged(self) -> int:
        return self.correct + self.incorrect


def tallies_by_run(run_ids: Collection[int]) -> dict[int, Tally]:
    """Return runs' tallies from their stored sums; runs without episodes are left out."""
    return _tallies(BY_RUN.rows(runs=list(run_ids), scope=Scope.RUN, harmless=list(HARMLESS_VOIDS)))


def run_tallies_by_arm(*, run_id: int) -> dict[str, Tally]:
    """Return a run's tallies by arm from its stored sums."""
    return _tallies(BY_ARM.rows(runs=[run_id], scope=Scope.ARM, harmless=list(HARMLESS_VOIDS)))


def task_tallies_by_arm(*, task_id: int) -> dict[str, Tally]:
    """Return a task's tallies by arm, counted from its episodes."""
    return _tallies(OF_TASK.rows(task=task_id, harmless=list(HARMLESS_VOIDS)))


def _tallies(rows: Iterable[tuple[Any, ...]]) -> dict[Any, Tally]:
    return {row[0]: _tally(row[1:]) for row in rows}


def _tally(row: tuple[int, ...]) -> Tally:
    counts, (tasks, k, n, kk, kn, nn) = row[:8], row[8:]
    sums = Clusters(
        tasks=tasks, correct=k, judged=n, correct_squared=kk, correct_times_judged=kn, judged_squared=nn
    )
    return Tally(**dict(zip(COUNTS, counts, strict=True)), rate=rate_of(sums))
