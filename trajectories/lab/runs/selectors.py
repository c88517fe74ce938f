"""Runs, and what is said of one."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404

from trajectories.lab.queries.tallies import Tally, tallies_by_run
from trajectories.models import PolicyVersion, Run

RUNS_PER_PAGE = 25
RUN_CHOICES = 200
MODEL_CHOICES = 500
POLICY_VERSIONS_SHOWN = 100


@dataclass(frozen=True, kw_only=True)
class RunRow:
    run: Run
    tally: Tally


@dataclass(frozen=True, kw_only=True)
class RunPage:
    """One page of runs, newest first; ``older`` is the cursor of the next page."""

    rows: list[RunRow]
    older: int | None


def run_page(*, before: int | None) -> RunPage:
    query = Run.objects.defer("settings", "affordances").order_by("-id")
    if before is not None:
        query = query.filter(id__lt=before)
    runs = list(query[: RUNS_PER_PAGE + 1])
    shown = runs[:RUNS_PER_PAGE]
    tallies = tallies_by_run([run.pk for run in shown])
    rows = [RunRow(run=run, tally=tallies.get(run.pk, Tally())) for run in shown]
    return RunPage(rows=rows, older=shown[-1].pk if len(runs) > RUNS_PER_PAGE else None)


def run_get(run_id: int) -> Run:
    run = Run.objects.select_related("created_by").filter(pk=run_id).first()
    if run is None:
        raise Http404(f"There is no run {run_id}.")
    return run


def run_choices(*, wanted: int | None = None) -> list[tuple[int, str]]:
    """The newest runs for a filter's list, and an older one that is asked for."""
    newest = list(Run.objects.order_by("-id").values_list("id", "name")[:RUN_CHOICES])
    if wanted is None or wanted in dict(newest):
        return newest
    return newest + list(Run.objects.filter(pk=wanted).values_list("id", "name"))


def run_policy_versions(*, run_id: int) -> list[PolicyVersion]:
    """The newest policy versions, newest first."""
    return list(PolicyVersion.objects.filter(run_id=run_id).order_by("-version")[:POLICY_VERSIONS_SHOWN])


def models_known() -> list[str]:
    """The models of runs, for a filter's list."""
    named = Run.objects.exclude(model="").order_by("model").values_list("model", flat=True)
    return list(named.distinct()[:MODEL_CHOICES])
