"""Celery job: the computation of a report, and the chore that sends it."""

from __future__ import annotations

import logging
from datetime import timedelta

from celery import shared_task
from django.db.models import Q
from django.db.models.functions import Now

from core import jobs, queues
from trajectories.models import Report

logger = logging.getLogger(__name__)

# What a worker lost is sent again, once it can no longer be at work on it.
SOFT_LIMIT_S = 270
HARD_LIMIT_S = 300
AGAIN_S = HARD_LIMIT_S + 30
CLAIMS_MAX = 3
LOST = (
    f"The computation was lost {CLAIMS_MAX} times: its worker was killed, for lack of memory or after "
    f"{HARD_LIMIT_S} s. Give workers more memory or split the plan by benchmarks, then compute it again."
)


@shared_task(
    name="reports.compute", ignore_result=True, soft_time_limit=SOFT_LIMIT_S, time_limit=HARD_LIMIT_S
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
    """Send the computations that are due; returns how many the queue accepted.

    One that was lost in the hands of ``CLAIMS_MAX`` workers has failed.
    """
    lost = Q(sent_at__lt=Now() - timedelta(seconds=AGAIN_S))
    Report.objects.filter(lost, requested_at__isnull=False, claims__gte=CLAIMS_MAX).update(
        state=Report.State.FAILED, problem=LOST, requested_at=None, sent_at=None
    )
    due = Report.objects.filter(Q(sent_at=None) | lost, requested_at__isnull=False)
    sent = 0
    for report_id in due.order_by("requested_at", "pk").values_list("pk", flat=True):
        if not jobs.job_send(compute, queues.FACTS, report_id=report_id):
            break
        Report.objects.filter(pk=report_id).update(sent_at=Now(), state=Report.State.WAITING)
        sent += 1
    return sent
