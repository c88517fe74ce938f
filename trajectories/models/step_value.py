"""Values of steps: estimates by a tree search, or a value model, of the state after a step."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from trajectories.models.episode import episode_key


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
