from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from core.text_key import TextKey


class Picture(models.Model):
    """Values that the media worker computed from a screenshot. Unreadable pictures have a row too.

    ``phash`` is that of ``capture.perceptual_hash``: 64 bits as 16 hexadecimal digits, empty when unread.
    """

    class State(models.TextChoices):
        OK = "ok"
        UNREADABLE = "unreadable"

    sha256 = TextKey(primary_key=True, max_length=64)
    width = models.PositiveIntegerField(default=0)
    height = models.PositiveIntegerField(default=0)
    phash = models.CharField(max_length=16, default="", blank=True)
    state = models.CharField(max_length=10, choices=State)
    made_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.sha256
