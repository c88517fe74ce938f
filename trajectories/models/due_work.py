"""Rows that request long work of a worker, which ``trajectories/record/due_work.py`` sends and does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import models
from django.db.models.functions import Now


class DueWork(models.Model):
    """``DOING`` and ``DONE`` are its states besides ``WAITING`` and ``FAILED``."""

    WAITING, DOING, DONE, FAILED = "waiting", "running", "done", "failed"

    state: models.CharField[str, str]
    problem = models.CharField(max_length=500, default="", blank=True)  # why it failed, or what it left out
    created_at = models.DateTimeField(db_default=Now())
    # Null unless the work is due or goes on: the chore that sends it reads no other rows.
    requested_at = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    # Claims by workers since it was requested: work that kills its worker is not sent for ever.
    claims = models.PositiveSmallIntegerField(db_default=0)

    class Meta:
        abstract = True

    @property
    def is_open(self) -> bool:
        """True if something is still to come of it."""
        return self.state in (self.WAITING, self.DOING)

    @classmethod
    def progress_fields(cls, done: int, total: int) -> dict[str, Any]:
        """Return the columns that record how far the work is."""
        return {"done": done, "total": total}

    @classmethod
    def end_fields(cls) -> dict[str, Any]:
        """Return the columns that record that the work has ended, in whatever way."""
        return {"finished_at": Now()}

    @classmethod
    def refusal_fields(cls, details: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns with the details of a ``GymError`` that ended the work."""
        return {"result": details}
