"""Rows that request long-running work from a worker; ``trajectories/record/due_work.py`` does the work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import models
from django.db.models.functions import Now


class DueWork(models.Model):
    """Abstract base of models whose rows request work.

    Subclasses may give the states ``DOING`` and ``DONE`` other values; ``WAITING`` and ``FAILED`` have the
    same value in all of them.
    """

    WAITING, DOING, DONE, FAILED = "waiting", "running", "done", "failed"

    state: models.CharField[str, str]
    # Why the work failed, or what it left out.
    problem = models.CharField(max_length=500, default="", blank=True)
    created_at = models.DateTimeField(db_default=Now())
    # Null unless the work is due or in progress, since the chore that sends work reads only rows where it is
    # set.
    requested_at = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    # Claims by workers since the request. They are limited, so that work that kills its worker is not sent
    # forever.
    claims = models.PositiveSmallIntegerField(db_default=0)

    class Meta:
        abstract = True

    @property
    def is_open(self) -> bool:
        """True if the work is waiting or in progress."""
        return self.state in (self.WAITING, self.DOING)

    @classmethod
    def progress_fields(cls, done: int, total: int) -> dict[str, Any]:
        """Return the columns that record the work's progress."""
        return {"done": done, "total": total}

    @classmethod
    def end_fields(cls) -> dict[str, Any]:
        """Return the columns that record that the work has ended, whether or not it succeeded."""
        return {"finished_at": Now()}

    @classmethod
    def refusal_fields(cls, details: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns with the details of a ``GymError`` that ended the work."""
        return {"result": details}
