"""Reward components, which are append-only, and the profiles that pay for them."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from trajectories.models.access import project_field
from trajectories.models.episode import episode_key


class RewardSource(models.Model):
    """A version of the rules, a learned model or a judge that computes components. Rows never change."""

    class Kind(models.TextChoices):
        RULE = "rule"
        LEARNED = "learned"
        JUDGE = "judge"

    kind = models.CharField(max_length=8, choices=Kind)
    name = models.CharField(max_length=64)
    version = models.CharField(max_length=64)
    detail = models.JSONField(default=dict)  # For rules, the version of each component.
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "name", "version"], name="reward_source_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.name} {self.version}"


class RewardComponents(models.Model):
    """One source's values for one episode. Late steps add another row, and a source's newest row counts."""

    pk = models.CompositePrimaryKey("episode_id", "source_id", "computed_at")
    episode = episode_key("reward_components")
    source = models.ForeignKey(RewardSource, on_delete=models.PROTECT, related_name="+", db_index=False)
    computed_at = models.DateTimeField(db_default=Now())
    values = models.JSONField()  # Values by component name; null if the source failed.
    steps = models.JSONField()  # Values by component name, then by step number.

    def __str__(self) -> str:
        return f"components of episode {self.episode_id} by source {self.source_id}"


class RewardModel(models.Model):
    """A learned reward with its model card, written only by ``manage.py fit_reward``.

    ``sha256`` is the hash of the reward and its card together.
    """

    project = project_field()
    name = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64)
    features = models.PositiveSmallIntegerField()  # The version of the code that computes its inputs.
    parameters = models.JSONField()
    card = models.JSONField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "sha256"], name="reward_model_once")]

    def __str__(self) -> str:
        return f"{self.name} {self.sha256[:8]}"


class RewardProfile(models.Model):
    """A rule that combines components into one number.

    A profile is identified by its content. Several profiles may share a name, which then refers to the
    newest.
    """

    project = project_field()
    name = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64)
    body = models.JSONField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "sha256"], name="reward_profile_once")]
        indexes = [models.Index(fields=["project", "name", "-id"], name="reward_profile_names")]

    def __str__(self) -> str:
        return f"{self.name} {self.sha256[:8]}"
