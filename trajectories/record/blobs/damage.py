"""Search for blob and recording files that are missing or differ from their rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Literal

from django.core.files.storage import storages

from core.database.sql import Statement
from core.storage import blobs, durable_files
from trajectories.models import Blob, RecordingChunk

NAMES = Statement(__file__, "private_names")


ROWS_AT_ONCE = 2_000

Problem = Literal["missing", "other_size", "other_bytes"]


@dataclass(frozen=True, kw_only=True)
class Damage:
    """A damaged file.

    ``size`` in bytes is what the file's row gives, None if it gives none. ``stored`` is the size of the file,
    None if there is no file.
    """

    storage: str
    sha256: str
    size: int | None
    stored: int | None
    problem: Problem


def damage_list(*, with_contents: bool = False) -> Iterator[Damage]:
    """Yield every damaged file that a row refers to. ``with_contents`` also reads and hashes every file."""
    stored, recorded = Blob.objects.order_by("sha256"), RecordingChunk.objects.order_by("sha256").distinct()
    rows_by_storage: dict[str, Iterator[tuple[str, int | None]]] = {
        blobs.BLOBS: stored.values_list("sha256", "size").iterator(chunk_size=ROWS_AT_ONCE),
        blobs.RECORDINGS: recorded.values_list("sha256", "size").iterator(chunk_size=ROWS_AT_ONCE),
        blobs.PRIVATE: iter(NAMES.rows()),
    }
    for storage, walk in rows_by_storage.items():
        look = partial(_damage, storage=storage, with_contents=with_contents)
        while some := list(islice(walk, ROWS_AT_ONCE)):
            yield from filter(None, durable_files.files_map(storages[storage], look, some))


def _damage(row: tuple[str, int | None], *, storage: str, with_contents: bool) -> Damage | None:
    sha256, size = row
    stored = blobs.blob_size(sha256, storage=storage)
    problem = _problem(sha256, size=size, stored=stored, storage=storage, with_contents=with_contents)
    if problem is None:
        return None
    return Damage(storage=storage, sha256=sha256, size=size, stored=stored, problem=problem)


def _problem(
    sha256: str, *, size: int | None, stored: int | None, storage: str, with_contents: bool
) -> Problem | None:
    if stored is None:
        return "missing"
    if size is not None and stored != size:
        return "other_size"
    if with_contents and _digest(sha256, storage=storage) != sha256:
        return "other_bytes"
    return None


def _digest(sha256: str, *, storage: str) -> str:
    digest = hashlib.sha256()
    with blobs.blob_open(sha256, storage=storage) as file:
        for piece in file.chunks(blobs.CHUNK_BYTES):
            digest.update(piece)
    return digest.hexdigest()
