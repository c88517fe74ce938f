"""Texts that help with tasks: inserts into prompts, abstractions, and interventions."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.database.text_key import TextKey
from trajectories.models.access import project_field
from trajectories.models.episode import Episode, Group


class GuidanceText(models.Model):
    """A text that is inserted into opening messages, identified by its SHA-256.

    It may contain parts of golds, so the arena may not read it.
    """

    sha256 = TextKey(primary_key=True, max_length=64)
    text = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.sha256


class Abstraction(models.Model):
    """General knowledge that helps to solve a task, written by a person or by a policy in an episode."""

    task = models.ForeignKey("tasks_app.Task", on_delete=models.PROTECT, related_name="abstractions")
    project = project_field()
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    author = models.CharField(max_length=100)  # The name of the key that posted it.
    # The run and episode in which a policy wrote it, if it was a policy. They may have been deleted since.
    run = models.ForeignKey(
        "trajectories.Run", on_delete=models.SET_NULL, null=True, related_name="abstractions"
    )
    episode = models.ForeignKey(
        Episode, on_delete=models.SET_NULL, null=True, related_name="abstractions", db_constraint=False
    )
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        # For the lists of a task's and of a project's abstractions.
        indexes = [models.Index(fields=["project", "id"], name="abstraction_order")]

    def __str__(self) -> str:
        return f"abstraction {self.pk} of task {self.task_id}"


class Intervention(models.Model):
    """A text that replaces a substep of an ``episode``; the forks in ``group`` continue after it.

    Each continuation's next message begins with ``copied``, which the policy wrote in ``step`` before
    ``substep``, followed by ``text``.
    """

    class Author(models.TextChoices):
        PERSON = "person", "Person"
        POLICY = "policy", "Policy"

    group = models.OneToOneField(Group, on_delete=models.CASCADE, related_name="intervention")
    # The episode may have been deleted, like a fork's parent.
    episode = models.ForeignKey(
        Episode, on_delete=models.DO_NOTHING, related_name="interventions", db_constraint=False
    )
    step = models.PositiveIntegerField()
    substep = models.PositiveIntegerField()
    copied = models.TextField()
    text = models.TextField()
    sha256 = models.CharField(max_length=64)  # The hash of ``text``.
    author_kind = models.CharField(max_length=8, choices=Author)
    author = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(step__gte=1, substep__gte=1), name="intervention_place")
        ]

    def __str__(self) -> str:
        return f"intervention {self.pk}"

    @property
    def prefill(self) -> str:
        """The text with which each continuation's message begins."""
        return self.copied + self.text
