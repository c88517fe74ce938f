"""Long-running jobs on a project's labels: exports, imports and labelling by machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models.functions import Now

from core.errors import GymError
from trajectories.annotation.archive import export_labels
from trajectories.annotation.imports.services import labels_import
from trajectories.annotation.machines.services import machine_label
from trajectories.models import AnnotationJob, AnnotationProject
from trajectories.record.due_work import Progress, WorkKind

WORK: dict[str, Callable[[AnnotationJob, Progress], dict[str, Any]]] = {
    AnnotationJob.Kind.EXPORT: export_labels,
    AnnotationJob.Kind.IMPORT: labels_import,
    AnnotationJob.Kind.MACHINE: machine_label,
}


def job_request(
    project: AnnotationProject, kind: str, parameters: dict[str, Any], *, user_id: int | None
) -> AnnotationJob:
    """Create a job, which the housekeeper then sends to a worker."""
    return AnnotationJob.objects.create(
        project=project, kind=kind, parameters=parameters, created_by_id=user_id, requested_at=Now()
    )


def _do(job: AnnotationJob, progress: Progress) -> dict[str, Any]:
    """Run a job according to its kind. Raises ``GymError`` ``unknown_work`` for an unknown kind."""
    if job.kind not in WORK:
        message = (
            f"This installation cannot run jobs of kind “{job.kind}” because its worker runs another version "
            "of the code. Restart the workers, then request the job again."
        )
        raise GymError("unknown_work", message)
    result = WORK[job.kind](job, progress)
    return {"problem": result.pop("problem", ""), "result": result}


LABEL_WORK = WorkKind(
    name="annotation.work",
    model=AnnotationJob,
    do=_do,
    is_resumable=lambda job: job.kind != AnnotationJob.Kind.EXPORT,
    subject="The work",
    advice="Give workers more memory, then request it again.",
    too_long=(
        "This took longer than a worker may spend on it. "
        "Split the project, or try again when less is going on."
    ),
)
