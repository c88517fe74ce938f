"""DOM recordings: what pages claimed to show, in chunks of rrweb events, and the amounts sent."""

from __future__ import annotations

from django.contrib.postgres.indexes import HashIndex
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from trajectories.models.episode import episode_key


class RecordingChunk(models.Model):
    """A gzipped JSON array of rrweb events, in the storage ``recordings`` under its hash.

    All but hash, size and time of receipt is the page's own word: agents can post here too, so whoever reads
    the bytes believes nothing that the row says of them.
    """

    pk = models.CompositePrimaryKey("episode_id", "page", "seq")
    episode = episode_key("recording_chunks")
    page = models.CharField(max_length=32)  # the nonce of a page load, the same as its page events have
    seq = models.PositiveIntegerField()
    step = models.PositiveIntegerField(null=True)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveIntegerField()  # bytes as stored
    events = models.PositiveIntegerField()
    first_ms = models.BigIntegerField()  # Unix time by the clock of the page's machine
    last_ms = models.BigIntegerField()
    has_snapshot = models.BooleanField(default=False)
    received_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(seq__gte=1), name="recording_chunk_seq_positive")]
        indexes = [HashIndex(fields=["sha256"], name="recording_chunk_file")]  # for pruning

    def __str__(self) -> str:
        return f"chunk {self.seq} of page {self.page}"


class RecordingTally(models.Model):
    """Amount that an episode's pages have sent, compared with the caps."""

    episode = models.OneToOneField(
        "trajectories.Episode", on_delete=models.CASCADE, primary_key=True, db_constraint=False
    )
    chunks = models.PositiveIntegerField(default=0)
    bytes = models.PositiveBigIntegerField(default=0)
    capped = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.chunks} chunks"
