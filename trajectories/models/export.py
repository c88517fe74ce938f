"""Exports: files of training data written by a worker, with their authors and parameters."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from trajectories.models.access import project_field
from trajectories.models.due_work import DueWork


class Export(DueWork):
    """An export.

    ``parameters`` define it (``trajectories/exports/parameters.py``), ``result`` names its files.

    While it is written, ``result`` is how far it is: a worker that takes over goes on from there. Rows stay
    when their files have gone: they say who exported what.
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
    splits = ArrayField(models.CharField(max_length=64), default=list)  # that its key was limited to
    has_golds = models.BooleanField(default=False)
    has_locked = models.BooleanField(default=False)  # splits that are locked for training
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    done = models.PositiveIntegerField(db_default=0)
    total = models.PositiveIntegerField(db_default=0)
    result = models.JSONField(default=dict)
    # One of both: a key of the API, or somebody in the lab. The name stays when they go.
    key = models.ForeignKey("trajectories.ApiKey", on_delete=models.SET_NULL, null=True, related_name="+")
    user = models.ForeignKey("auth.User", on_delete=models.SET_NULL, null=True, related_name="+")
    author = models.CharField(max_length=200)
    finished_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)  # from then on pruning may delete its files

    class Meta:
        indexes = [
            models.Index(
                fields=["requested_at", "id"], name="export_due", condition=Q(requested_at__isnull=False)
            )
        ]

    def __str__(self) -> str:
        return f"export {self.pk}: {self.kind}"
