"""Runs for the list and for the page of a run."""

from __future__ import annotations

from django.http import Http404

from trajectories.lab.queries.tallies import Tally, tallies_by_run
from trajectories.models import PolicyVersion, Run

RUNS_PER_PAGE = 25
POLICY_VERSIONS_SHOWN = 100


def run_rows(*, before: int | None) -> tuple[list[tuple[Run, Tally]], int | None]:
    """One page of runs with their tallies, newest first, and the cursor of the next page."""
    query = Run.objects.defer("settings", "affordances").order_by("-id")
    if before is not None:
        query = query.filter(id__lt=before)
    runs = list(query[: RUNS_PER_PAGE + 1])
    shown = runs[:RUNS_PER_PAGE]
    tallies = tallies_by_run([run.pk for run in shown])
    rows = [(run, tallies.get(run.pk, Tally())) for run in shown]
    return rows, shown[-1].pk if len(runs) > RUNS_PER_PAGE else None


def run_get(run_id: int) -> Run:
    """Raises ``Http404`` where there is none."""
    run = Run.objects.select_related("created_by").filter(pk=run_id).first()
    if run is None:
        raise Http404(f"There is no run {run_id}.")
    return run


def run_policy_versions(*, run_id: int) -> list[PolicyVersion]:
    """The newest policy versions, newest first."""
    return list(PolicyVersion.objects.filter(run_id=run_id).order_by("-version")[:POLICY_VERSIONS_SHOWN])
