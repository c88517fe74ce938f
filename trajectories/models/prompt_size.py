"""Lengths of an episode's prompts under a history policy, played or not: a client replays the episode."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from trajectories.models.episode import episode_key


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
