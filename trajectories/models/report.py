"""A report on an evaluation: its plan, stored before the runs, and its latest result."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from trajectories.models.access import project_field


class Report(models.Model):
    """A report; runs name the one to which they belong.

    ``plan`` is as it was sent; ``basis`` counts the verdicts of each run that ``result`` is computed from.
    """

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
    progress = models.FloatField(db_default=0.0)  # 0 to 1
    problem = models.CharField(max_length=500, default="", blank=True)  # why it failed
    result = models.JSONField(null=True)
    basis = models.JSONField(default=dict)
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.ForeignKey("trajectories.ApiKey", on_delete=models.SET_NULL, null=True)
    # Null unless a computation is due or goes on: the chore that sends it reads no other rows.
    requested_at = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    # By workers, since it was requested: a computation that kills its worker is not sent for ever.
    claims = models.PositiveSmallIntegerField(db_default=0)
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
