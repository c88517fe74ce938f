"""Blobs that callers upload."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.conf import settings

from core import blobs
from trajectories.models import Blob


def blob_put(*, sha256: str, read: Callable[[int], bytes]) -> blobs.StoredBlob:
    """Store a blob and its row. Raises ``GymError`` 400 ``hash_mismatch``, 413 ``blob_too_large``."""
    stored = blobs.blob_receive(read=read, sha256=sha256, limit=settings.BLOB_MAX_BYTES)
    row = Blob(sha256=sha256, size=stored.size, content_type=stored.content_type)
    Blob.objects.bulk_create([row], ignore_conflicts=True)
    return stored


def blobs_missing(hashes: Sequence[str]) -> list[str]:
    """The hashes that are not stored, each once, in the given order.

    One query finds what callers uploaded; storage is checked for the rest, which may be pictures of tasks.
    """
    uploaded = set(Blob.objects.filter(pk__in=set(hashes)).values_list("pk", flat=True))
    others = [sha256 for sha256 in dict.fromkeys(hashes) if sha256 not in uploaded]
    return [sha256 for sha256 in others if not blobs.blob_exists(sha256)]
