"""A text put in place of a substep of a thought, from which the policy continues."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from trajectories.models.episode import Episode, Group


class Intervention(models.Model):
    """``group`` are its continuations, forks of ``episode``. Each goes on with the message that begins with
    ``copied``, which the policy wrote in ``step`` before ``substep``, and ``text``.
    """

    class Author(models.TextChoices):
        PERSON = "person", "Person"
        POLICY = "policy", "Policy"

    group = models.OneToOneField(Group, on_delete=models.CASCADE, related_name="intervention")
    # As a fork's parent, it may have been deleted.
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
