from __future__ import annotations

from django.db import models

from core.text_key import TextKey


class WalkPlace(models.Model):
    """Position of a walk through history (``core/sweep.py``), from which it resumes after a restart."""

    name = TextKey(primary_key=True, max_length=32)
    version = models.PositiveIntegerField()  # of what the walk looks for; another one begins again
    since = models.DateTimeField()  # everything older is done

    def __str__(self) -> str:
        return f"{self.name} up to {self.since}"
