"""Stored files: blobs, values computed from pictures, DOM recordings (chunks of rrweb events), prunings."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import HashIndex
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.database.text_key import TextKey
from trajectories.models.episode import episode_key


class RecordingChunk(models.Model):
    """A gzipped JSON array of rrweb events, kept in the storage ``recordings`` under its hash.

    Only the hash, the size and the time of receipt are reliable. The page supplies everything else, and
    agents can post chunks too, so readers of the bytes must not trust the row's other columns.
    """

    pk = models.CompositePrimaryKey("episode_id", "page", "seq")
    episode = episode_key("recording_chunks")
    page = models.CharField(max_length=32)  # The nonce of the page load, which its page events have too.
    seq = models.PositiveIntegerField()
    step = models.PositiveIntegerField(null=True)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveIntegerField()  # The stored size in bytes.
    events = models.PositiveIntegerField()
    first_ms = models.BigIntegerField()  # Unix time in ms, by the clock of the page's machine.
    last_ms = models.BigIntegerField()
    has_snapshot = models.BooleanField(default=False)
    received_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(seq__gte=1), name="recording_chunk_seq_positive")]
        indexes = [HashIndex(fields=["sha256"], name="recording_chunk_file")]  # Used by pruning.

    def __str__(self) -> str:
        return f"chunk {self.seq} of page {self.page}"


class RecordingTally(models.Model):
    """The amount that an episode's pages have recorded so far, for comparison with the caps."""

    episode = models.OneToOneField(
        "trajectories.Episode", on_delete=models.CASCADE, primary_key=True, db_constraint=False
    )
    chunks = models.PositiveIntegerField(default=0)
    bytes = models.PositiveBigIntegerField(default=0)
    capped = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.chunks} chunks"


class Picture(models.Model):
    """Values that the media worker computed from a screenshot. Unreadable pictures have a row too.

    ``phash`` is the perceptual hash (``capture/perceptual_hash.py``): 64 bits as 16 hexadecimal digits, or
    empty if the picture could not be read.
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


class Blob(models.Model):
    """Bytes in blob storage, identified by their SHA-256, such as a screenshot or a trainer's tokens."""

    sha256 = TextKey(primary_key=True, max_length=64)
    size = models.PositiveBigIntegerField()
    content_type = models.CharField(max_length=100)
    created_at = models.DateTimeField(db_default=Now())
    # The projects whose keys uploaded it. Null if all projects may use it, because its file existed before,
    # as that of a task's picture does.
    projects = ArrayField(models.CharField(max_length=64), null=True)
    used_at = models.DateTimeField(db_default=Now())  # When it was last uploaded or requested, to the hour.

    class Meta:
        # The sweeper reads pictures in order of arrival.
        indexes = [
            models.Index(
                fields=["created_at", "sha256"],
                name="blob_picture_order",
                condition=Q(content_type__startswith="image/"),
            )
        ]

    def __str__(self) -> str:
        return self.sha256


class Pruning(models.Model):
    """A pruning of an episode's recordings or screenshots (``trajectories/rollouts/retention``).

    The episode's steps still name their screenshots. A screenshot's file is kept as long as anything else
    names it.
    """

    episode = models.OneToOneField(
        "trajectories.Episode",
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="pruning",
        db_constraint=False,
    )
    recordings_at = models.DateTimeField(null=True)
    screenshots_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"pruning of episode {self.episode_id}"
