"""Celery job: the computation of a report, and the chore that sends it."""

from __future__ import annotations

import logging

from celery import shared_task

from core import due_work, jobs, queues
from trajectories.models import Report

logger = logging.getLogger(__name__)

LOST = due_work.describe_loss(
    "The computation", "Give workers more memory or split the plan by benchmarks, then compute it again."
)


@shared_task(
    name="reports.compute",
    ignore_result=True,
    soft_time_limit=due_work.SOFT_LIMIT_S,
    time_limit=due_work.HARD_LIMIT_S,
)
def compute(*, report_id: int) -> None:
    # Its libraries cost a second and 60 MB: only the process that computes has them.
    from trajectories.reports import computation

    try:
        computation.report_compute(report_id)
    except Exception:
        # The report says why.
        logger.exception("report %s could not be computed", report_id)


def reports_send() -> int:
    """Send the computations that are due; returns how many the queue accepted."""
    return due_work.due_send(
        Report.objects.all(),
        send=lambda report_id: jobs.job_send(compute, queues.FACTS, report_id=report_id),
        waiting=Report.State.WAITING,
        failure={"state": Report.State.FAILED, "problem": LOST},
    )
