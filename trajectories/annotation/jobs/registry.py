"""Functions that do the work of each kind of job, by dotted path: only the worker imports them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.module_loading import import_string

from core.errors import GymError
from core.long_work import Progress
from trajectories.models import AnnotationJob

Do = Callable[[AnnotationJob, Progress], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Work:
    """``address`` is a function that gets a job and ``Progress``, and returns the job's result.

    Work that is ``resumable`` (``core/long_work.py``) does the rest when it is called again with ``job.done``
    rows.
    """

    address: str
    is_resumable: bool


WORK: dict[str, Work] = {
    AnnotationJob.Kind.EXPORT: Work(
        address="trajectories.annotation.exports.services.export", is_resumable=False
    ),
    AnnotationJob.Kind.IMPORT: Work(
        address="trajectories.annotation.imports.services.labels_import", is_resumable=True
    ),
    AnnotationJob.Kind.MACHINE: Work(
        address="trajectories.annotation.machines.services.machine_label", is_resumable=True
    ),
}


def work_of(job: AnnotationJob) -> Do:
    """Return the work of a job's kind. Raises ``GymError`` if this installation has none."""
    work = WORK.get(job.kind)
    try:
        if work is not None:
            do: Do = import_string(work.address)
            return do
    except ImportError as error:
        raise _unknown(job) from error
    raise _unknown(job)


def _unknown(job: AnnotationJob) -> GymError:
    message = (
        f"This installation cannot run jobs of kind “{job.kind}”: its worker runs another version of the "
        "code. Restart the workers, then ask for it again."
    )
    return GymError("unknown_work", message)
