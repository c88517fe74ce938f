"""Jobs as a project's page lists them."""

from __future__ import annotations

from trajectories.models import AnnotationJob, AnnotationProject

SHOWN = 20
OPEN = (AnnotationJob.State.WAITING, AnnotationJob.State.RUNNING)


def jobs_of(project: AnnotationProject) -> list[AnnotationJob]:
    """Return the newest jobs, with who requested them."""
    rows = AnnotationJob.objects.filter(project=project).select_related("created_by")
    return list(rows.order_by("-pk")[:SHOWN])


def are_open(jobs: list[AnnotationJob]) -> bool:
    """Return whether something is still to come of one of them."""
    return any(job.state in OPEN for job in jobs)
