"""Celery job: long work on labels, and the chore that sends it."""

from __future__ import annotations

import logging
from datetime import timedelta

from celery import shared_task
from django.db.models import Q
from django.db.models.functions import Now

from core import jobs, queues
from trajectories.models import AnnotationJob

logger = logging.getLogger(__name__)

# What a worker lost is sent again, once it can no longer be at work on it.
SOFT_LIMIT_S = 270
HARD_LIMIT_S = 300
AGAIN_S = HARD_LIMIT_S + 30
CLAIMS_MAX = 3
LOST = (
    f"The work was lost {CLAIMS_MAX} times: its worker was killed, for lack of memory or after "
    f"{HARD_LIMIT_S} s. Give workers more memory, then ask for it again."
)


@shared_task(
    name="annotation.work", ignore_result=True, soft_time_limit=SOFT_LIMIT_S, time_limit=HARD_LIMIT_S
)
def work(*, job_id: int) -> None:
    from trajectories.annotation.jobs import services

    try:
        services.job_do(job_id)
    except Exception:
        # The job says why.
        logger.exception("annotation job %s failed", job_id)


def annotation_jobs_send() -> int:
    """Send the work that is due; returns how much the queue accepted.

    What was lost in the hands of ``CLAIMS_MAX`` workers has failed.
    """
    lost = Q(sent_at__lt=Now() - timedelta(seconds=AGAIN_S))
    AnnotationJob.objects.filter(lost, requested_at__isnull=False, claims__gte=CLAIMS_MAX).update(
        state=AnnotationJob.State.FAILED, problem=LOST, requested_at=None, sent_at=None, finished_at=Now()
    )
    due = AnnotationJob.objects.filter(Q(sent_at=None) | lost, requested_at__isnull=False)
    sent = 0
    for job_id in due.order_by("requested_at", "pk").values_list("pk", flat=True):
        job = AnnotationJob.objects.filter(pk=job_id)
        # First, since a worker may begin at once.
        job.update(sent_at=Now(), state=AnnotationJob.State.WAITING)
        if not jobs.job_send(work, queues.FACTS, job_id=job_id):
            job.update(sent_at=None)
            break
        sent += 1
    return sent
