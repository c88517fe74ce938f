from __future__ import annotations

from django.db import models


class Pruning(models.Model):
    """A pruning of an episode's recordings or screenshots (``trajectories/rollouts/retention``).

    Its steps still name their screenshots; such a file stays while something else names it.
    """

    episode = models.OneToOneField(
        "trajectories.Episode",
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="pruning",
        db_constraint=False,
    )
    recordings_at = models.DateTimeField(null=True)
    screenshots_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"pruning of episode {self.episode_id}"
