"""How long an episode's prompts are under a history policy, whichever was played: replayed by a client."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from trajectories.models.episode import episode_key


class PromptSize(models.Model):
    """Of all prompts of an episode, one before each of its steps; tokens are null where no model measured
    them."""

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
