"""Blobs that callers upload, and the chore that deletes what interrupted uploads leave behind."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from django.conf import settings
from django.core.files.storage import storages
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

from core.database.sql import Statement
from core.storage import blobs, durable_files
from core.storage.blobs import STORAGES
from trajectories.models import Blob
from trajectories.record.projects import Viewer

PUT = Statement(__file__, "put")
SIZES = Statement(__file__, "sizes")
logger = logging.getLogger(__name__)


def blob_put(*, sha256: str, read: Callable[[int], bytes], project: str) -> blobs.StoredBlob:
    """Store a blob and its row. Raises ``GymError`` 400 ``hash_mismatch``, 413 ``blob_too_large``."""

    def row_put(stored: blobs.StoredBlob) -> None:
        PUT.run(
            sha256=stored.sha256,
            size=stored.size,
            content_type=stored.content_type,
            is_new=stored.is_new,
            project=project,
        )

    return blobs.blob_receive(read=read, sha256=sha256, limit=settings.BLOB_MAX_BYTES, note=row_put)


def blob_response(request: HttpRequest, sha256: str, *, viewer: Viewer) -> HttpResponseBase:
    """Return the blob.

    Raises ``Http404`` if the viewer may not see it, or if its file's size differs from the one in its row.
    """
    size, owners = Blob.objects.filter(pk=sha256).values_list("size", "projects").first() or (None, None)
    if owners is not None and viewer.project is not None and viewer.project not in owners:
        raise Http404(blobs.NOT_STORED)
    return blobs.blob_response(request, sha256, size=size)


def blobs_missing(hashes: Sequence[str], *, project: str) -> list[str]:
    """Return the hashes that are not stored at full size, each once, in the given order.

    Blobs of other projects count as missing; once a project uploads one of them, it has that blob as well.
    One query finds the blobs that callers uploaded; those that it does not find may be pictures of tasks.
    """
    rows = SIZES.rows(hashes=list(set(hashes)), project=project)
    sizes: dict[str, int] = {sha256: size for sha256, size, is_own in rows if is_own}
    hidden = {sha256 for sha256, _, is_own in rows if not is_own}
    missing = set(blobs.blobs_missing({one: sizes.get(one) for one in hashes if one not in hidden}))
    return [sha256 for sha256 in dict.fromkeys(hashes) if sha256 in missing | hidden]


def parts_sweep() -> int:
    """Delete old partial uploads in every blob storage and return their number.

    A storage that raises an error is logged and skipped.
    """
    swept = 0
    for name in STORAGES:
        try:
            swept += durable_files.parts_sweep(storages[name])
        except OSError as error:
            logger.warning(
                "parts of interrupted uploads in the storage %s could not be deleted: %s", name, error
            )
    return swept
