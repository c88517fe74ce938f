from __future__ import annotations

from django.db import models

from core.text_key import TextKey


class WalkPlace(models.Model):
    """How far a walk through history has come (``core/sweep.py``), so that a restart goes on from there."""

    name = TextKey(primary_key=True, max_length=32)
    version = models.PositiveIntegerField()  # of what the walk looks for; another one begins again
    since = models.DateTimeField()  # everything older is done

    def __str__(self) -> str:
        return f"{self.name} up to {self.since}"
