"""Celery job: long work on labels, and the chore that sends it."""

from __future__ import annotations

import logging

from celery import shared_task
from django.db.models.functions import Now

from core import due_work, jobs, queues
from trajectories.models import AnnotationJob

logger = logging.getLogger(__name__)

LOST = due_work.describe_loss("The work", "Give workers more memory, then ask for it again.")


@shared_task(
    name="annotation.work",
    ignore_result=True,
    soft_time_limit=due_work.SOFT_LIMIT_S,
    time_limit=due_work.HARD_LIMIT_S,
)
def work(*, job_id: int) -> None:
    from trajectories.annotation.jobs import services

    try:
        services.job_do(job_id)
    except Exception:
        # The job says why.
        logger.exception("annotation job %s failed", job_id)


def annotation_jobs_send() -> int:
    """Send the work that is due; returns how much the queue accepted."""
    return due_work.due_send(
        AnnotationJob.objects.all(),
        send=lambda job_id: jobs.job_send(work, queues.FACTS, job_id=job_id),
        waiting=AnnotationJob.State.WAITING,
        failure={"state": AnnotationJob.State.FAILED, "problem": LOST, "finished_at": Now()},
    )
