"""Requests for long work on labels, and the work itself in a worker."""

from __future__ import annotations

from typing import Any

from django.db.models.functions import Now

from core import due_work
from core.long_work import LongWork
from trajectories.annotation.jobs.registry import WORK, work_of
from trajectories.models import AnnotationJob, AnnotationProject

TOO_LONG = "This took longer than a worker has for it. Split the project, or ask again when less is going on."


def job_request(
    project: AnnotationProject, kind: str, parameters: dict[str, Any], *, user_id: int | None
) -> AnnotationJob:
    """Request work, which the housekeeper sends to a worker."""
    return AnnotationJob.objects.create(
        project=project, kind=kind, parameters=parameters, created_by_id=user_id, requested_at=Now()
    )


def job_do(job_id: int) -> bool:
    """Do a waiting job; return False if it does not wait, or was requested again in the meantime."""
    waiting, running = AnnotationJob.State.WAITING, AnnotationJob.State.RUNNING
    if not due_work.due_claim(AnnotationJob.objects.all(), job_id, waiting=waiting, state=running):
        return False
    job = AnnotationJob.objects.select_related("project__codebook").get(pk=job_id)
    work = WORK.get(job.kind)
    is_resumable = work is not None and work.is_resumable
    long_work = LongWork(row=job, is_resumable=is_resumable, too_long=TOO_LONG)
    return long_work.do(lambda progress: work_of(job)(job, progress))
