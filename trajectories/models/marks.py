"""Rows by which the installation's own processes remember their positions and check that they can write."""

from __future__ import annotations

from django.db import models

from core.database.text_key import TextKey


class HealthProbe(models.Model):
    """A single row that every health probe writes, since a database that can only be read counts as down."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"probed at {self.at}"


class WalkPlace(models.Model):
    """The position from which a walk through history (``core/work/sweep.py``) resumes after a restart."""

    name = TextKey(primary_key=True, max_length=32)
    version = models.PositiveIntegerField()  # The version of what the walk computes; a new one starts over.
    since = models.DateTimeField()  # Everything older is done.

    def __str__(self) -> str:
        return f"{self.name} up to {self.since}"


class WatchMark(models.Model):
    """A time on the sweeper's own clock, by which every episode up to ``newest`` had been opened.

    That clock, ``watched_s``, counts only the seconds during which a sweeper was running.
    """

    watched_s = models.FloatField(primary_key=True)
    newest = models.BigIntegerField()

    def __str__(self) -> str:
        return f"episode {self.newest} at {self.watched_s:.0f} s"
