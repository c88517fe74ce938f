"""Steps of an episode, their values posted by a harness, and the sizes of their prompts."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from trajectories.models.episode import episode_key


class Step(models.Model):
    """One turn of the agent, with the key (episode, index).

    There is no foreign key constraint, because checking it would lock, and so write, the episode's row at
    every step. Instead, the inserting statement reads the episode, and episodes are deleted only long after
    their last possible step (``trajectories/rollouts/retention``).
    """

    class Actor(models.TextChoices):
        POLICY = "policy"
        HUMAN = "human"
        ORACLE = "oracle"
        ROUTER = "router"
        PERSON = "person"  # A person in a takeover. API calls may not send this value.

    class Segment(models.TextChoices):
        """The purpose of a person's steps: to return to a page that the policy knows, or to do its part."""

        RECOVERY = "recovery"
        CORRECTION = "correction"

    pk = models.CompositePrimaryKey("episode_id", "index")
    episode = episode_key("steps")
    index = models.PositiveIntegerField()
    thought = models.TextField(default="")
    raw = models.TextField(default="")
    action = models.JSONField(null=True)
    action_type = models.CharField(max_length=32, default="")
    action_known = models.BooleanField(default=True)
    action_result = models.CharField(max_length=16, default="")
    parse_error = models.TextField(default="")
    observation_kind = models.CharField(max_length=32, default="")
    observation_text = models.TextField(default="")
    observation_sha256 = models.CharField(max_length=64, default="")
    screenshot = models.CharField(max_length=64, default="")
    url = models.TextField(default="")
    started_at = models.DateTimeField(null=True)
    duration_ms = models.FloatField(null=True)
    policy_version = models.PositiveIntegerField(null=True)
    actor = models.CharField(max_length=8, choices=Actor, default=Actor.POLICY)
    segment = models.CharField(max_length=12, choices=Segment, default="", db_default="")
    # thought_hidden, settled, model_ms, env_ms, usage, finish_reason, model, sampling, rewards, ...
    more = models.JSONField(default=dict)
    content_hash = models.BinaryField(max_length=16)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(index__gte=1), name="step_index_positive")]

    def __str__(self) -> str:
        return f"step {self.index} of episode {self.episode_id}"

    @property
    def has_hidden_thought(self) -> bool:
        """True if the model reasoned but its endpoint withheld the text, as opposed to having no thought."""
        return bool(self.more and self.more.get("thought_hidden"))

    @property
    def was_unsettled(self) -> bool:
        """True if the page that the model was shown was still loading or moving."""
        return bool(self.more and self.more.get("settled") is False)


class PromptSize(models.Model):
    """Total and maximum lengths of an episode's prompts, one per step; tokens are null if never counted."""

    pk = models.CompositePrimaryKey("episode_id", "history")
    episode = episode_key("prompt_sizes")
    history = models.CharField(max_length=32)
    characters = models.PositiveBigIntegerField()
    longest_characters = models.PositiveBigIntegerField()
    tokens = models.PositiveBigIntegerField(null=True)
    longest_tokens = models.PositiveBigIntegerField(null=True)
    measured_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(longest_characters__lte=F("characters")), name="prompt_size_longest"
            )
        ]

    def __str__(self) -> str:
        return f"prompts of episode {self.episode_id} under {self.history}"


class StepValue(models.Model):
    """A step's value, posted by a harness; it affects neither rewards nor rates."""

    pk = models.CompositePrimaryKey("episode_id", "step")
    episode = episode_key("step_values")
    step = models.PositiveIntegerField()
    value = models.FloatField()
    visits = models.PositiveIntegerField()
    posted_at = models.DateTimeField(db_default=Now())

    class Meta:
        # JSON has no NaN or infinities.
        constraints = [
            models.CheckConstraint(
                condition=Q(value__gte=-1e300, value__lte=1e300), name="step_value_is_a_number"
            )
        ]

    def __str__(self) -> str:
        return f"value {self.value} of step {self.step} of episode {self.episode_id}"
