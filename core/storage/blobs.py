"""Content-addressed storage: bytes named by their SHA-256, durable once acknowledged, never changed.

A file counts as stored only at its right size: one that a crash cut short is replaced by the next upload.
Blobs go to the storage ``blobs`` unless the caller names another one. This module does not check who may read
a blob. Files with golds, people's names or locked splits go to ``private``, and only API calls that check the
rights of their caller serve those.
"""

from __future__ import annotations

import hashlib
import io
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import IO

from django.core.files import File
from django.core.files.storage import Storage, storages
from django.http import FileResponse, Http404, HttpRequest, HttpResponseNotModified
from django.http.response import HttpResponseBase

from core.errors import GymError, too_large
from core.storage import durable_files

SHA256 = re.compile(r"[0-9a-f]{64}\Z")
CHUNK_BYTES = 256 * 1024
HEAD_BYTES = 4096
EMPTY = hashlib.sha256().hexdigest()
BLOBS = "blobs"
RECORDINGS = "recordings"
PRIVATE = "private"
STORAGES = (BLOBS, RECORDINGS, PRIVATE)
YEAR_S = 365 * 24 * 3600
OTHER = "application/octet-stream"
NOT_STORED = "This file is not in the store: it was never uploaded, or has been lost or damaged."
TEXT = "text/plain; charset=utf-8"
JSON = "application/json"
# Pictures that browsers show without running anything. SVG and HTML can contain scripts, so they count as
# text.
PICTURES: tuple[tuple[str, Callable[[bytes], bool]], ...] = (
    ("image/png", lambda head: head.startswith(b"\x89PNG\r\n\x1a\n")),
    ("image/jpeg", lambda head: head.startswith(b"\xff\xd8\xff")),
    ("image/gif", lambda head: head.startswith((b"GIF87a", b"GIF89a"))),
    ("image/webp", lambda head: head.startswith(b"RIFF") and head[8:12] == b"WEBP"),
)
CONTROL = frozenset(range(32)) - frozenset(b"\t\n\r\f")


@dataclass(frozen=True, kw_only=True)
class StoredBlob:
    """A blob in the store; ``is_new`` is false if the same bytes were already stored."""

    sha256: str
    size: int
    content_type: str
    is_new: bool


def blob_store(data: bytes, *, storage: str = BLOBS) -> StoredBlob:
    """Store bytes held in memory; do nothing if they are already stored."""
    sha256 = hashlib.sha256(data).hexdigest()
    return blob_receive(read=io.BytesIO(data).read, sha256=sha256, limit=len(data), storage=storage)


def blob_receive(
    *,
    read: Callable[[int], bytes],
    sha256: str,
    limit: int,
    storage: str = BLOBS,
    note: Callable[[StoredBlob], object] | None = None,
) -> StoredBlob:
    """Store a stream in constant memory, provided that its SHA-256 is ``sha256``.

    ``note`` is called once the file is stored, and commits a row that names it. Until then the file may be
    deleted because no row names it; in that case it is stored again.

    Raises ``GymError`` ``hash_mismatch`` (400) and ``blob_too_large`` (413); nothing is stored then.
    """
    check_sha256(sha256)
    target = storages[storage]
    with durable_files.part_open(target) as part:
        size, head = _copy(read=read, target=part, sha256=sha256, limit=limit)
        is_new = durable_files.part_keep(target, part, name=_name(sha256))
        stored = StoredBlob(sha256=sha256, size=size, content_type=detect_content_type(head), is_new=is_new)
        if note:
            note(stored)
            if stored_size(target, sha256) != size:
                durable_files.part_keep(target, part, name=_name(sha256))
    return stored


def blob_exists(sha256: str, *, size: int | None = None, storage: str = BLOBS) -> bool:
    """Return whether a file of ``size`` bytes is stored; without ``size``, any file that is not damaged."""
    return _is_whole(sha256, blob_size(sha256, storage=storage), size)


def blobs_missing(sizes: Mapping[str, int | None]) -> list[str]:
    """List the blobs that are not stored at their right size, in order; ``sizes`` may be None if unknown."""
    stored = durable_files.files_map(storages[BLOBS], blob_size, sizes)
    return [
        sha256
        for (sha256, size), there in zip(sizes.items(), stored, strict=True)
        if not _is_whole(sha256, there, size)
    ]


def blob_size(sha256: str, *, storage: str = BLOBS) -> int | None:
    """Return the size of a blob's file in bytes, or None if there is no file."""
    return stored_size(storages[storage], sha256)


def blob_stored_at(sha256: str, *, storage: str = BLOBS) -> datetime | None:
    """Return when a blob's file was last written, or None if there is no file."""
    try:
        return storages[storage].get_modified_time(_name(sha256))
    except FileNotFoundError:
        return None


def blob_delete(sha256: str, *, storage: str = BLOBS) -> None:
    """Delete a blob, if there is one."""
    storages[storage].delete(_name(sha256))


def blob_copy(sha256: str, *, source: Storage, target: Storage) -> int:
    """Copy a blob durably if its bytes are right, and return its size in bytes.

    Raises ``FileNotFoundError`` if there is no file, and ``GymError`` ``hash_mismatch`` if it is damaged;
    nothing is stored in either case.
    """
    name = _name(sha256)
    with source.open(name, "rb") as file, durable_files.part_open(target) as part:
        size, _ = _copy(read=file.read, target=part, sha256=sha256, limit=sys.maxsize)
        durable_files.part_keep(target, part, name=name)
    return size


def stored_size(storage: Storage, sha256: str) -> int | None:
    """Return the size in bytes of a blob's file in any storage, or None if there is no file."""
    return durable_files.file_size(storage, _name(sha256))


def stored_blobs(storage: Storage) -> Iterator[str]:
    """Yield the name of every blob in a storage, in order; unfinished parts and thumbnails are skipped."""
    for first in _folders(storage, ""):
        for second in _folders(storage, first):
            _, files = storage.listdir(f"{first}/{second}")
            yield from sorted(name for name in files if SHA256.match(name))


def _folders(storage: Storage, path: str) -> list[str]:
    try:
        folders, _ = storage.listdir(path)
    except FileNotFoundError:
        return []  # nothing has been stored yet
    return sorted(name for name in folders if len(name) == len("00"))


def blob_open(sha256: str, *, storage: str = BLOBS) -> File[bytes]:
    """Open a blob as a file. Raises ``FileNotFoundError`` if it is not stored."""
    check_sha256(sha256)
    return storages[storage].open(_name(sha256), "rb")


def blob_response(request: HttpRequest, sha256: str, *, size: int | None = None) -> HttpResponseBase:
    """Serve a blob so that no browser executes it: fixed types, sandboxed, cacheable. Raises ``Http404``.

    A file of another size than ``size`` bytes is a 404 too, because browsers would cache the damaged bytes.
    """
    tag = f'"{sha256}"'
    check_sha256(sha256)
    if request.headers.get("If-None-Match") == tag and blob_exists(sha256, size=size):
        return _with_headers(HttpResponseNotModified(), tag=tag)
    file = _whole_open(sha256, size)
    content_type = detect_content_type(file.read(HEAD_BYTES))
    file.seek(0)
    response = FileResponse(
        file, content_type=content_type, as_attachment=content_type == OTHER, filename=sha256
    )
    return _with_headers(response, tag=tag)


def detect_content_type(head: bytes) -> str:
    """Detect one of a fixed list of types by the first bytes. The type that a client claims is ignored."""
    for content_type, matches in PICTURES:
        if matches(head):
            return content_type
    if not _is_text(head):
        return OTHER
    return JSON if head.lstrip()[:1] in (b"{", b"[") else TEXT


def check_sha256(sha256: str) -> None:
    """Raise ``GymError`` 400 ``bad_sha256`` for text that is not a lower-case SHA-256 in hexadecimal."""
    if not SHA256.match(sha256):
        raise GymError("bad_sha256", "A blob is named by 64 lower-case hexadecimal digits.", status=404)


def _is_whole(sha256: str, stored: int | None, size: int | None) -> bool:
    if size is not None:
        return stored == size
    return stored is not None and (stored > 0 or sha256 == EMPTY)


def _whole_open(sha256: str, size: int | None) -> File[bytes]:
    try:
        file = blob_open(sha256)
    except FileNotFoundError:
        raise Http404(NOT_STORED) from None
    if _is_whole(sha256, file.size, size):
        return file
    file.close()
    raise Http404(NOT_STORED)


def _copy(*, read: Callable[[int], bytes], target: IO[bytes], sha256: str, limit: int) -> tuple[int, bytes]:
    digest, size, head = hashlib.sha256(), 0, b""
    while piece := read(CHUNK_BYTES):
        size += len(piece)
        if size > limit:
            raise too_large("blob_too_large", "blob", size, limit, "BLOB_MAX_BYTES")
        if len(head) < HEAD_BYTES:
            head = (head + piece)[:HEAD_BYTES]
        digest.update(piece)
        target.write(piece)
    if digest.hexdigest() != sha256:
        raise GymError(
            "hash_mismatch", f"The {size:,} bytes received do not have the SHA-256 in the address."
        )
    return size, head


def _name(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256[2:4]}/{sha256}"


def _is_text(head: bytes) -> bool:
    if any(byte in CONTROL for byte in head):
        return False
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return len(head) == HEAD_BYTES and error.start >= HEAD_BYTES - 3  # the last character may be cut off
    return True


def _with_headers(response: HttpResponseBase, *, tag: str) -> HttpResponseBase:
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = f"private, max-age={YEAR_S}, immutable"
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    return response
