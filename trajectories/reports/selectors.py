"""Queries for reports and for the runs that belong to them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db.models import Exists, OuterRef

from core.errors import GymError
from trajectories.models import Group, Report, Run, VerdictCounter
from trajectories.record import projects
from trajectories.record.api.auth import Principal


def report_get(report_id: int, *, principal: Principal | None = None) -> Report:
    """Return the report. Raises ``GymError`` 404 ``unknown_report``, also if the key may not see it."""
    reports = Report.objects.filter(pk=report_id)
    report = (projects.visible(reports, principal) if principal else reports).first()
    if report is None or (principal and not _is_visible(report, principal)):
        raise GymError("unknown_report", f"There is no report {report_id}.", status=404)
    return report


def report_list(*, before: int | None, limit: int, principal: Principal | None = None) -> Sequence[Report]:
    """List up to ``limit`` reports without their results, newest first, and one more if there is a next page.

    A report's ``is_simulated`` is true if any of its runs is simulated.
    """
    simulated = Exists(Run.objects.filter(report=OuterRef("pk"), simulated=True))
    reports = Report.objects.defer("result").annotate(is_simulated=simulated).order_by("-pk")
    if before is not None:
        reports = reports.filter(pk__lt=before)
    if principal:
        reports = projects.visible(reports, principal)
    if principal and principal.splits:
        # Splits are inside the plans, which are few and small enough to read them all.
        return [report for report in reports if _is_visible(report, principal)][: limit + 1]
    return list(reports[: limit + 1])


def report_runs(report_id: int) -> list[Run]:
    return list(Run.objects.filter(report=report_id).order_by("pk"))


def runs_by_benchmark(run_ids: Collection[int]) -> dict[str, list[int]]:
    """Group runs by the benchmarks of their episodes. Benchmarks and runs are in ascending order."""
    pairs = Group.objects.filter(run__in=run_ids).values_list("task__benchmark_id", "run_id")
    runs: dict[str, list[int]] = {}
    for benchmark, run_id in pairs.order_by("task__benchmark_id", "run_id").distinct():
        runs.setdefault(benchmark, []).append(run_id)
    return runs


def verdict_counts(run_ids: Sequence[int]) -> dict[str, int]:
    """Count the verdicts of each run so far.

    The keys are run ids as texts, because the counts become JSON.
    """
    counts = VerdictCounter.objects.filter(run__in=run_ids).values_list("run_id", "count")
    return {str(run_id): count for run_id, count in counts}


def report_is_stale(report: Report) -> bool:
    """Return whether runs or verdicts have been added since the report was computed."""
    if report.computed_at is None:
        return False
    run_ids = Run.objects.filter(report=report).values_list("pk", flat=True)
    return bool(verdict_counts(list(run_ids)) != report.basis)


def _is_visible(report: Report, principal: Principal) -> bool:
    return all(principal.sees_split(str(benchmark.get("split"))) for benchmark in report.plan["benchmarks"])
