"""Texts that help with tasks: inserts in prompts, abstractions, and interventions."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.database.text_key import TextKey
from trajectories.models.access import project_field
from trajectories.models.episode import Episode, Group


class GuidanceText(models.Model):
    """Text inserted into opening messages, by its SHA-256.

    It contains parts of golds, so the arena may not read it.
    """

    sha256 = TextKey(primary_key=True, max_length=64)
    text = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.sha256


class Abstraction(models.Model):
    """General knowledge about a task that helps to solve it, by a person or by a policy in an episode."""

    task = models.ForeignKey("tasks_app.Task", on_delete=models.PROTECT, related_name="abstractions")
    project = project_field()
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    author = models.CharField(max_length=100)  # the name of the key that posted it
    # The run and episode of the policy that wrote it, if one did. They may have been deleted since.
    run = models.ForeignKey(
        "trajectories.Run", on_delete=models.SET_NULL, null=True, related_name="abstractions"
    )
    episode = models.ForeignKey(
        Episode, on_delete=models.SET_NULL, null=True, related_name="abstractions", db_constraint=False
    )
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        # The lists of a task's and of a project's.
        indexes = [models.Index(fields=["project", "id"], name="abstraction_order")]

    def __str__(self) -> str:
        return f"abstraction {self.pk} of task {self.task_id}"


class Intervention(models.Model):
    """``group`` are its continuations, forks of ``episode``. Each goes on with the message that begins with
    ``copied``, which the policy wrote in ``step`` before ``substep``, and ``text``.
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
    sha256 = models.CharField(max_length=64)  # of the text
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
        """Text with which the message of each continuation begins."""
        return self.copied + self.text
