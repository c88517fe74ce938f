"""The kind of background work that computes reports."""

from __future__ import annotations

from typing import Any

from trajectories.models import Report
from trajectories.record.due_work import Progress, WorkKind


def _do(report: Report, progress: Progress) -> dict[str, Any]:
    # The libraries take a second and 60 MB to load, so only the process that computes imports them.
    from trajectories.reports.computation import report_compute

    return report_compute(report, progress)


ADVICE = "Give workers more memory or split the plan by benchmarks, then compute it again."
REPORTS = WorkKind(
    name="reports.compute",
    model=Report,
    do=_do,
    is_resumable=lambda report: False,
    subject="The computation",
    advice=ADVICE,
    too_long=f"The computation took longer than a worker's time limit. {ADVICE}",
)
