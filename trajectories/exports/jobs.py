"""Celery job: an export, and the chore that sends it."""

from __future__ import annotations

import logging

from celery import shared_task
from django.db.models.functions import Now

from core import due_work, jobs, queues
from trajectories.models import Export

logger = logging.getLogger(__name__)

LOST = due_work.describe_loss(
    "The export", "Give workers more memory, or export fewer runs at once, then run it again."
)


@shared_task(
    name="exports.write",
    ignore_result=True,
    soft_time_limit=due_work.SOFT_LIMIT_S,
    time_limit=due_work.HARD_LIMIT_S,
)
def write(*, export_id: int) -> None:
    from trajectories.exports import services

    try:
        services.export_do(export_id)
    except Exception:
        # The export says why.
        logger.exception("export %s failed", export_id)


def exports_send() -> int:
    """Send the exports that are due; returns how many the queue accepted."""
    return due_work.due_send(
        Export.objects.all(),
        send=lambda export_id: jobs.job_send(write, queues.FACTS, export_id=export_id),
        waiting=Export.State.WAITING,
        failure={"state": Export.State.FAILED, "problem": LOST, "finished_at": Now()},
    )
