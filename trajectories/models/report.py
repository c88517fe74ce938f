"""A report on an evaluation: its plan, stored before the runs, and its latest result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import models
from django.db.models import Q

from trajectories.models.access import project_field
from trajectories.models.due_work import DueWork


class Report(DueWork):
    """A report; each of its runs refers to it.

    ``plan`` is stored as it was sent. ``basis`` has, for each run, the number of verdicts from which
    ``result`` was computed.
    """

    DOING, DONE = "computing", "ready"

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        COMPUTING = "computing", "Computing"
        READY = "ready", "Ready"
        FAILED = "failed", "Failed"

    name = models.CharField(max_length=200)
    project = project_field()
    plan = models.JSONField()
    plan_sha256 = models.CharField(max_length=64)
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    progress = models.FloatField(db_default=0.0)  # From 0 to 1.
    result = models.JSONField(null=True)
    basis = models.JSONField(default=dict)
    created_by = models.ForeignKey("trajectories.ApiKey", on_delete=models.SET_NULL, null=True)
    computed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(progress__gte=0, progress__lte=1), name="report_progress_0_1")
        ]
        indexes = [
            models.Index(
                fields=["requested_at", "id"], name="report_due", condition=Q(requested_at__isnull=False)
            )
        ]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def progress_fields(cls, done: int, total: int) -> dict[str, Any]:
        return {"progress": done / total}

    @classmethod
    def end_fields(cls) -> dict[str, Any]:
        return {"progress": 1.0}

    @classmethod
    def refusal_fields(cls, details: Mapping[str, Any]) -> dict[str, Any]:
        """Return no columns, so that the tables of the previous computation stay."""
        return {}
