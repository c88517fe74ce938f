"""Rows by which the installation's own processes know where they are, and that they can write."""

from __future__ import annotations

from django.db import models

from core.database.text_key import TextKey


class HealthProbe(models.Model):
    """One row, written by each probe of health: a database that can only be read is down."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"probed at {self.at}"


class WalkPlace(models.Model):
    """Position of a walk through history (``core/work/sweep.py``), from which it resumes after a restart."""

    name = TextKey(primary_key=True, max_length=32)
    version = models.PositiveIntegerField()  # of what the walk looks for; another one begins again
    since = models.DateTimeField()  # everything older is done

    def __str__(self) -> str:
        return f"{self.name} up to {self.since}"


class WatchMark(models.Model):
    """A moment of the sweeper's own time, by which every episode up to ``newest`` had been opened.

    ``watched_s`` counts the seconds in which a sweeper looked, whatever the clock on the wall said.
    """

    watched_s = models.FloatField(primary_key=True)
    newest = models.BigIntegerField()

    def __str__(self) -> str:
        return f"episode {self.newest} at {self.watched_s:.0f} s"
