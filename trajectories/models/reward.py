"""Components of rewards, append-only, and the profiles that pay for them."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from trajectories.models.access import project_field
from trajectories.models.episode import episode_key


class RewardSource(models.Model):
    """A version of the rules, of a learned model or of a judge, which computes components. Written once."""

    class Kind(models.TextChoices):
        RULE = "rule"
        LEARNED = "learned"
        JUDGE = "judge"

    kind = models.CharField(max_length=8, choices=Kind)
    name = models.CharField(max_length=64)
    version = models.CharField(max_length=64)
    detail = models.JSONField(default=dict)  # of rules: the version of each component
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "name", "version"], name="reward_source_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.name} {self.version}"


class RewardComponents(models.Model):
    """One source's values for one episode. The latest row of a source counts: late steps add another."""

    pk = models.CompositePrimaryKey("episode_id", "source_id", "computed_at")
    episode = episode_key("reward_components")
    source = models.ForeignKey(RewardSource, on_delete=models.PROTECT, related_name="+", db_index=False)
    computed_at = models.DateTimeField(db_default=Now())
    values = models.JSONField()  # by name; null where the source failed
    steps = models.JSONField()  # by name, then by the number of the step

    def __str__(self) -> str:
        return f"components of episode {self.episode_id} by source {self.source_id}"


class RewardModel(models.Model):
    """A learned reward with its card. Only ``manage.py fit_reward`` writes one; ``sha256`` is of both."""

    project = project_field()
    name = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64)
    features = models.PositiveSmallIntegerField()  # version of the code that computes its inputs
    parameters = models.JSONField()
    card = models.JSONField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "sha256"], name="reward_model_once")]

    def __str__(self) -> str:
        return f"{self.name} {self.sha256[:8]}"


class RewardProfile(models.Model):
    """A rule that turns components into one number.

    It is identified by its content: several profiles may share a name, which then means the newest.
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
