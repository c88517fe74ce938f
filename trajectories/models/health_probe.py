from __future__ import annotations

from django.db import models


class HealthProbe(models.Model):
    """One row, written by each probe of health: a database that can only be read is down."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"probed at {self.at}"
