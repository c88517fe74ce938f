from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.text_key import TextKey


class Blob(models.Model):
    """Bytes identified by their SHA-256: a screenshot, a trainer's tokens. The file is in blob storage."""

    sha256 = TextKey(primary_key=True, max_length=64)
    size = models.PositiveBigIntegerField()
    content_type = models.CharField(max_length=100)
    created_at = models.DateTimeField(db_default=Now())
    # Whose keys uploaded it. Null for what is everybody's: its file was there before, as a task's picture is.
    projects = ArrayField(models.CharField(max_length=64), null=True)
    used_at = models.DateTimeField(db_default=Now())  # last uploaded or asked for, to the hour

    class Meta:
        # The sweeper goes through pictures in the order of their arrival.
        indexes = [
            models.Index(
                fields=["created_at", "sha256"],
                name="blob_picture_order",
                condition=Q(content_type__startswith="image/"),
            )
        ]

    def __str__(self) -> str:
        return self.sha256
