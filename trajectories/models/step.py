"""Steps of an episode, with the values that a search gives them and the sizes of their prompts."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from trajectories.models.episode import episode_key


class Step(models.Model):
    """One turn of the agent, with the key (episode, index).

    There is no foreign key constraint: checking it would lock, and so write, the episode's row at every step.
    The inserting statement reads the episode, and episodes are deleted only
    long after their last step may come (``trajectories/rollouts/retention``).
    """

    class Actor(models.TextChoices):
        POLICY = "policy"
        HUMAN = "human"
        ORACLE = "oracle"
        ROUTER = "router"
        PERSON = "person"  # of a takeover; no call of the API may say so

    class Segment(models.TextChoices):
        """Purpose of a person's steps: leading back to a page that the policy knows, or doing its part."""

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
    more = models.JSONField(
        default=dict
    )  # thought_hidden, settled, model_ms, env_ms, usage, finish_reason, model, sampling, rewards, ...
    content_hash = models.BinaryField(max_length=16)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(index__gte=1), name="step_index_positive")]

    def __str__(self) -> str:
        return f"step {self.index} of episode {self.episode_id}"

    @property
    def has_hidden_thought(self) -> bool:
        """True if the model reasoned but its endpoint withheld the text: not the same as no thought."""
        return bool(self.more and self.more.get("thought_hidden"))

    @property
    def was_unsettled(self) -> bool:
        """True if the page that the model was shown was still loading or moving."""
        return bool(self.more and self.more.get("settled") is False)


class PromptSize(models.Model):
    """Lengths of all prompts of an episode, one per step; tokens are null if no model measured them."""

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
    """A value posted by a harness; it enters neither rewards nor rates."""

    pk = models.CompositePrimaryKey("episode_id", "step")
    episode = episode_key("step_values")
    step = models.PositiveIntegerField()
    value = models.FloatField()
    visits = models.PositiveIntegerField()
    posted_at = models.DateTimeField(db_default=Now())

    class Meta:
        # NaN and the infinities are no numbers of JSON.
        constraints = [
            models.CheckConstraint(
                condition=Q(value__gte=-1e300, value__lte=1e300), name="step_value_is_a_number"
            )
        ]

    def __str__(self) -> str:
        return f"value {self.value} of step {self.step} of episode {self.episode_id}"
