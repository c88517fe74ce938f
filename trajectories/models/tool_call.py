"""Calls of interactive tools of a page that take a while, with their results."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from trajectories.models.episode import episode_key


class ToolCall(models.Model):
    """A program to run. One that neither succeeds nor fails in time is lost: its episode may call again."""

    class Status(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"  # by us: there was no sandbox

    pk = models.CompositePrimaryKey("episode_id", "number")
    episode = episode_key("tool_calls")
    number = models.PositiveIntegerField()
    step = models.PositiveIntegerField(null=True)
    tool = models.CharField(max_length=32)
    input = models.TextField()
    status = models.CharField(max_length=8, choices=Status, db_default=Status.WAITING)
    output = models.JSONField(null=True)
    created_at = models.DateTimeField(db_default=Now())
    sent_at = models.DateTimeField(null=True)
    claimed_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(number__gte=1), name="tool_call_number_positive")]
        indexes = [
            models.Index(fields=["created_at"], name="tool_call_waiting", condition=Q(status="waiting"))
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.number} of episode {self.episode_id}"
