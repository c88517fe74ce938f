from __future__ import annotations

from django.db import models


class WatchMark(models.Model):
    """A moment of the sweeper's own time, by which every episode up to ``newest`` had been opened.

    ``watched_s`` counts the seconds in which a sweeper looked, whatever the clock on the wall said.
    """

    watched_s = models.FloatField(primary_key=True)
    newest = models.BigIntegerField()

    def __str__(self) -> str:
        return f"episode {self.newest} at {self.watched_s:.0f} s"
