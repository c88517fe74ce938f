"""Exports: files of training data that a worker writes, with their authors and parameters."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from trajectories.models.access import project_field
from trajectories.models.due_work import DueWork


class Export(DueWork):
    """An export, defined by its ``parameters`` (``trajectories/exports/parameters.py``).

    While the export is being written, ``result`` records its progress, from which another worker can resume;
    afterwards it names the files. Rows outlive their files, as a record of who exported what.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        RUNNING = "running", "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    kind = models.CharField(max_length=32)
    project = project_field()
    parameters = models.JSONField()
    # The splits to which the exporting key was limited.
    splits = ArrayField(models.CharField(max_length=64), default=list)
    has_golds = models.BooleanField(default=False)
    has_locked = models.BooleanField(default=False)  # It contains splits that are locked for training.
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    done = models.PositiveIntegerField(db_default=0)
    total = models.PositiveIntegerField(db_default=0)
    result = models.JSONField(default=dict)
    # Either an API key or a lab user made the export; ``author`` keeps the name when that key or user is
    # deleted.
    key = models.ForeignKey("trajectories.ApiKey", on_delete=models.SET_NULL, null=True, related_name="+")
    user = models.ForeignKey("auth.User", on_delete=models.SET_NULL, null=True, related_name="+")
    author = models.CharField(max_length=200)
    finished_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)  # From then on, pruning may delete the files.

    class Meta:
        indexes = [
            models.Index(
                fields=["requested_at", "id"], name="export_due", condition=Q(requested_at__isnull=False)
            )
        ]

    def __str__(self) -> str:
        return f"export {self.pk}: {self.kind}"
