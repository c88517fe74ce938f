"""Blobs that callers bring: stored, noted, and asked for in bulk."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.conf import settings

from core import blobs
from trajectories.capture import jobs
from trajectories.models import Blob


def blob_put(*, sha256: str, read: Callable[[int], bytes]) -> blobs.StoredBlob:
    """Store a blob and note it. Raises ``GymError`` 400 ``hash_mismatch``, 413 ``blob_too_large``."""
    stored = blobs.blob_receive(read=read, sha256=sha256, limit=settings.BLOB_MAX_BYTES)
    row = Blob(sha256=sha256, size=stored.size, content_type=stored.content_type)
    Blob.objects.bulk_create([row], ignore_conflicts=True)
    if stored.is_new and stored.content_type.startswith("image/"):
        jobs.picture_ask(sha256)
    return stored


def blobs_missing(wanted: Sequence[str]) -> list[str]:
    """Those that are not stored, each once, in the order asked.

    One query finds what callers brought; storage is asked for the rest, which may be pictures of tasks.
    """
    noted = set(Blob.objects.filter(pk__in=set(wanted)).values_list("pk", flat=True))
    unnoted = [sha256 for sha256 in dict.fromkeys(wanted) if sha256 not in noted]
    return [sha256 for sha256 in unnoted if not blobs.blob_exists(sha256)]
