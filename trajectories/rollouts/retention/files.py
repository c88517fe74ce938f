"""Deletion of files that nothing names and that were long unused; safe beside uploads of the same bytes.

An upload stores its file, then commits its row with the time, then makes sure that the file is still there.
The row is deleted here in the transaction in which the file is: the upload is either seen, or waits and then
stores its file again. The arena commits the row of a recording first and then makes sure of the file: no such
row can come while files are deleted. Who stores files long before their rows holds ``core/file_lock.py``.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.core.files.storage import storages
from django.db import connection, transaction

from core import blobs, file_lock, thumbnails
from core.sql import Statement, sql_read
from trajectories.models import Picture
from trajectories.record.blobs import damage

LOOKED_AT_ONCE = 1_000
# A batch delays uploads of the same bytes, and all recordings.
DELETED_AT_ONCE = 50
WAIT_S = 0.2

BLOBS_UNNAMED = Statement(__file__, "blobs_unnamed")
BLOBS_PLACE = Statement(__file__, "blobs_place")
BLOBS_DELETE = Statement(__file__, "blobs_delete")
CHUNKS_UNNAMED = Statement(__file__, "chunks_unnamed")
PRIVATE_UNNAMED = Statement(__file__, "private_unnamed", names=damage.NAMES.text)


class Total(NamedTuple):
    """Files, and their bytes without thumbnails."""

    files: int = 0
    bytes: int = 0


def files_prune(storage: str, *, days: int, is_rehearsal: bool, progress: Callable[[int], object]) -> Total:
    """Delete what is unnamed, by the names that were collected (``names``), and older than ``days``.

    Waits while somebody holds files. ``progress`` gets the number of files that were looked at.
    """
    total = Total()
    for hashes in _batches(blobs.stored_blobs(storages[storage]), LOOKED_AT_ONCE):
        old = [sha256 for sha256 in _unnamed(storage, hashes, days=days) if _is_old(storage, sha256, days)]
        for batch in _batches(iter(old), DELETED_AT_ONCE):
            sizes = {sha256: blobs.blob_size(sha256, storage=storage) or 0 for sha256 in batch}
            gone = batch if is_rehearsal else _delete(storage, batch, days=days)
            total = Total(total.files + len(gone), total.bytes + sum(sizes[sha256] for sha256 in gone))
        progress(len(hashes))
    return total


def _batches(hashes: Iterator[str], count: int) -> Iterator[list[str]]:
    while batch := list(itertools.islice(hashes, count)):
        yield batch


def _unnamed(storage: str, hashes: Sequence[str], *, days: int) -> list[str]:
    if storage == blobs.BLOBS:
        return [sha256 for (sha256,) in BLOBS_UNNAMED.rows(hashes=hashes, days=days)]
    if storage == blobs.PRIVATE:
        return [sha256 for (sha256,) in PRIVATE_UNNAMED.rows(hashes=hashes)]
    return [sha256 for (sha256,) in CHUNKS_UNNAMED.rows(hashes=hashes)]


def _is_old(storage: str, sha256: str, days: int) -> bool:
    stored_at = blobs.blob_stored_at(sha256, storage=storage)
    return stored_at is not None and stored_at < datetime.now(UTC) - timedelta(days=days)


def _delete(storage: str, hashes: Sequence[str], *, days: int) -> list[str]:
    while True:
        with transaction.atomic():
            if file_lock.deletion_try():
                gone = _gone(storage, hashes, days=days)
                for sha256 in gone:
                    blobs.blob_delete(sha256, storage=storage)
                return gone
        # Not queued: everybody who wants to hold files would wait behind us.
        time.sleep(WAIT_S)


def _gone(storage: str, hashes: Sequence[str], *, days: int) -> list[str]:
    """Those that nobody can use before this transaction ends."""
    if storage == blobs.RECORDINGS:
        with connection.cursor() as cursor:
            cursor.execute("LOCK TABLE trajectories_recordingchunk IN SHARE MODE")
    if storage != blobs.BLOBS:
        return _unnamed(storage, hashes, days=days)
    BLOBS_PLACE.run(hashes=hashes)
    gone = [sha256 for (sha256,) in BLOBS_DELETE.rows(hashes=hashes, days=days)]
    Picture.objects.filter(pk__in=gone).delete()
    for sha256 in gone:
        thumbnails.thumbnail_delete(sha256)
    return gone


# Fields of steps without a column of their own that name blobs.
FIELDS = ("prompt_sha256", "tokens_blob")

CREATE = sql_read(__file__, "names_create")
EXCLUDE = Statement(__file__, "exclude")
NAMES = Statement(__file__, "names", more=", ".join(f"s.more->>'{field}'" for field in FIELDS))


def names_create() -> None:
    """Start with no names, and with no episodes excluded."""
    with connection.cursor() as cursor:
        cursor.execute(CREATE)


def episodes_exclude(ids: Sequence[int], *, what: str = "") -> None:
    """Ignore the names of these episodes: all of them, or those of recordings or screenshots."""
    EXCLUDE.run(
        ids=list(ids),
        has_row=not what,
        has_screenshots=what in ("", "screenshots"),
        has_recordings=what in ("", "recordings"),
    )


def names_collect() -> None:
    """Read every name once. Files named later are safe: they were uploaded or requested recently."""
    NAMES.run()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE blob_names")
