"""Page events, which pages report, and site events and tool calls, which the server records itself."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q, Value
from django.db.models.functions import Now

from tasks_app.worlds.evidence import PAGE_SERVED
from trajectories.models.episode import episode_key


class PageEvent(models.Model):
    """A click, input, scroll or similar event as reported by the page, which must not be trusted."""

    pk = models.CompositePrimaryKey("episode_id", "page", "seq")
    episode = episode_key("page_events")
    page = models.CharField(max_length=32)  # The nonce of one page load.
    seq = models.PositiveIntegerField()
    step = models.PositiveIntegerField(null=True)
    kind = models.CharField(max_length=32)
    at_ms = models.FloatField()  # The time since the page load began, by the page's clock.
    data = models.JSONField(default=dict)
    received_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.kind} {self.seq}"


class PageEventTally(models.Model):
    """Counts of what an episode's pages sent, which are capped, and of acts on them outside any step.

    These acts, which are gestures and changed fields, count towards the step budget.
    """

    episode = models.OneToOneField("trajectories.Episode", on_delete=models.CASCADE, primary_key=True)
    events = models.PositiveIntegerField(default=0)
    bytes = models.PositiveIntegerField(default=0)
    capped = models.BooleanField(default=False)
    last_at = models.DateTimeField(db_default=Now())
    gestures = models.PositiveIntegerField(db_default=0)
    fields = models.PositiveIntegerField(db_default=0)
    # The fields that changed in the last report with any changed fields. Typing that continues in the next
    # report is still the same change.
    last_fields = ArrayField(
        models.TextField(), db_default=Value([], output_field=ArrayField(models.TextField()))
    )

    def __str__(self) -> str:
        return f"{self.events} events"


class SiteEvent(models.Model):
    """A server-side event, such as a page served or a booking made. Numbers are unique across tabs."""

    pk = models.CompositePrimaryKey("episode_id", "seq")
    episode = episode_key("site_events")
    seq = models.PositiveIntegerField()
    step = models.PositiveIntegerField(null=True)
    kind = models.CharField(max_length=32)
    data = models.JSONField(default=dict)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(seq__gte=1), name="site_event_seq_positive")]
        # Most site events are page views, which neither the site's state nor judging needs.
        indexes = [
            models.Index(fields=["episode", "seq"], name="site_event_changes", condition=~Q(kind=PAGE_SERVED))
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.seq}"


class ToolCall(models.Model):
    """A program to run for an episode, which may call it again if it neither succeeds nor fails in time."""

    class Status(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"  # The failure is the server's: there was no sandbox.

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
