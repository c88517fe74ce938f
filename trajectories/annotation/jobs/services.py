"""Asks for long work on labels, and does it in a worker."""

from __future__ import annotations

import logging
import time
from typing import Any

from billiard.exceptions import SoftTimeLimitExceeded
from django.db.models.functions import Now

from core import due_work
from core.errors import GymError
from trajectories.annotation.jobs.registry import Pause, Progress, work_of
from trajectories.models import AnnotationJob, AnnotationProject

logger = logging.getLogger(__name__)

PROBLEM_MAX_CHARS = 500
# Resumable work stops between rows, long before its worker is stopped.
PAUSE_S = 200.0
NOTE_EVERY_S = 1.0
TOO_LONG = "This took longer than a worker has for it. Split the project, or ask again when less is going on."


def job_request(
    project: AnnotationProject, kind: str, parameters: dict[str, Any], *, user_id: int | None
) -> AnnotationJob:
    """Ask for work, which the housekeeper sends to a worker."""
    return AnnotationJob.objects.create(
        project=project, kind=kind, parameters=parameters, created_by_id=user_id, requested_at=Now()
    )


def job_do(job_id: int) -> bool:
    """Do a job that waits; False if it does not, or was requested again meanwhile."""
    waiting, running = AnnotationJob.State.WAITING, AnnotationJob.State.RUNNING
    if not due_work.due_claim(AnnotationJob.objects.all(), job_id, waiting=waiting, state=running):
        return False
    job = AnnotationJob.objects.select_related("project__codebook").get(pk=job_id)
    try:
        do, work = work_of(job)
        result = do(job, _progress(job, is_resumable=work.is_resumable))
    except Pause:
        # Due again at once; only what is lost counts against it.
        return _write(job, state=AnnotationJob.State.WAITING, sent_at=None, claims=0)
    except GymError as error:
        problem = error.message[:PROBLEM_MAX_CHARS]
        return _finish(job, state=AnnotationJob.State.FAILED, problem=problem, result=error.fields)
    except SoftTimeLimitExceeded:
        _finish(job, state=AnnotationJob.State.FAILED, problem=TOO_LONG)
        raise
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"[:PROBLEM_MAX_CHARS]
        _finish(job, state=AnnotationJob.State.FAILED, problem=problem)
        raise
    problem = str(result.pop("problem", ""))[:PROBLEM_MAX_CHARS]
    return _finish(job, state=AnnotationJob.State.DONE, result=result, problem=problem)


def _progress(job: AnnotationJob, *, is_resumable: bool) -> Progress:
    """Writes how far the work is, once a second, and ends it when its time is over."""
    begun_at = time.monotonic()
    written_at = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal written_at
        now = time.monotonic()
        is_over = is_resumable and now > begun_at + PAUSE_S and done < total
        if is_over or done >= total or now > written_at + NOTE_EVERY_S:
            _write(job, done=done, total=total)
            written_at = now
        if is_over:
            raise Pause

    return progress


def _finish(job: AnnotationJob, **fields: Any) -> bool:
    return _write(job, **fields, requested_at=None, sent_at=None, finished_at=Now())


def _write(job: AnnotationJob, **fields: Any) -> bool:
    """Unless it was requested again, or given up, meanwhile."""
    mine = AnnotationJob.objects.filter(pk=job.pk, requested_at=job.requested_at)
    return mine.update(**fields) > 0
