"""Blobs that callers upload."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from core import blobs
from core.sql import Statement
from trajectories.models import Blob

PUT = Statement(__file__, "put")
SIZES = Statement(__file__, "sizes")


def blob_put(*, sha256: str, read: Callable[[int], bytes]) -> blobs.StoredBlob:
    """Store a blob and its row. Raises ``GymError`` 400 ``hash_mismatch``, 413 ``blob_too_large``."""
    return blobs.blob_receive(read=read, sha256=sha256, limit=settings.BLOB_MAX_BYTES, note=_row_put)


def _row_put(stored: blobs.StoredBlob) -> None:
    PUT.run(sha256=stored.sha256, size=stored.size, content_type=stored.content_type)


def blob_response(request: HttpRequest, sha256: str) -> HttpResponseBase:
    """The blob, or ``Http404`` where its file is not of the size that its row says."""
    size = Blob.objects.filter(pk=sha256).values_list("size", flat=True).first()
    return blobs.blob_response(request, sha256, size=size)


def blobs_missing(hashes: Sequence[str]) -> list[str]:
    """The hashes that are not stored at their size, each once, in the given order.

    One query finds the sizes of what callers uploaded; the others may be pictures of tasks.
    """
    sizes: dict[str, int] = dict(SIZES.rows(hashes=list(set(hashes))))
    return blobs.blobs_missing({sha256: sizes.get(sha256) for sha256 in hashes})
