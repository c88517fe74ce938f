"""The files of an export, which are stored at checkpoints so that another worker can resume after a crash."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import IO

from msgspec import Struct
from msgspec.structs import asdict

from core.storage import blobs, file_lock
from trajectories.exports.conversations import FOLDER
from trajectories.exports.formats import FORMATS, JsonLines, Writer
from trajectories.exports.types import IMAGES, ColumnType, Kind, Row
from trajectories.models import Export

# A checkpoint follows when this many bytes or units have been written since the last one.
CHECKPOINT_BYTES = 64 * 1024**2
CHECKPOINT_UNITS = 5_000
FILE_MAX_BYTES = 2**40
IMAGE_COLUMNS: Mapping[str, ColumnType] = {"file": "text", "sha256": "text", "bytes": "integer"}


class StoredFile(Struct, frozen=True, kw_only=True):
    """A stored file, as the manifest lists it."""

    name: str
    sha256: str
    bytes: int
    rows: int


@dataclass(kw_only=True)
class OpenFile:
    """A file that is being written, with its writer and the number of its rows so far."""

    file: IO[bytes]
    writer: Writer
    rows: int = 0

    def add(self, row: Row) -> None:
        self.writer.add(row)
        self.rows += 1


@dataclass(kw_only=True)
class Files:
    """The files written between two checkpoints.

    Rows with pictures go into files of their own, because a column has the same type throughout a file.
    Another file lists the pictures.
    """

    kind: Kind
    columns: Mapping[str, ColumnType]
    format: str
    number: int
    _stack: ExitStack = field(default_factory=ExitStack)
    _open: dict[str, OpenFile] = field(default_factory=dict)
    _images: set[str] = field(default_factory=set)

    def add(self, row: Row) -> None:
        images = row.get(IMAGES) or []
        for name in images:
            self._image(name)
        stem = f"{self.kind.id}_{IMAGES}" if images else self.kind.id
        opened = self._open.get(stem)
        if opened is None:
            columns = {name: kind for name, kind in self.columns.items() if images or name != IMAGES}
            opened = self._begin(stem, columns, has_images=bool(images))
        opened.add(row)

    @property
    def size(self) -> int:
        """The number of bytes written so far."""
        return sum(one.file.tell() for one in self._open.values())

    def store(self) -> list[StoredFile]:
        """Close and store the files. The caller must hold ``file_lock`` until the database refers to them."""
        with self._stack:
            return [self._store(stem, one) for stem, one in sorted(self._open.items())]

    def discard(self) -> None:
        self._stack.close()

    def _begin(self, stem: str, columns: Mapping[str, ColumnType], *, has_images: bool) -> OpenFile:
        file = self._stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
        kind = JsonLines if stem == IMAGES else FORMATS[self.format]
        self._open[stem] = OpenFile(file=file, writer=kind(file, columns, has_images=has_images))
        return self._open[stem]

    def _image(self, name: str) -> None:
        if name in self._images:
            return
        self._images.add(name)
        sha256 = name.removeprefix(f"{FOLDER}/").partition(".")[0]
        opened = self._open.get(IMAGES) or self._begin(IMAGES, IMAGE_COLUMNS, has_images=False)
        opened.add({"file": name, "sha256": sha256, "bytes": blobs.blob_size(sha256)})

    def _store(self, stem: str, opened: OpenFile) -> StoredFile:
        opened.writer.close()
        ending = "jsonl" if stem == IMAGES else self.format
        return file_store(opened.file, name=f"{stem}_{self.number:05}.{ending}", rows=opened.rows)


def file_store(file: IO[bytes], *, name: str, rows: int, limit: int = FILE_MAX_BYTES) -> StoredFile:
    """Store a file of at most ``limit`` bytes.

    The caller must hold ``file_lock`` until the database refers to the file.
    """
    file.seek(0)
    sha256 = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    file.seek(0)
    stored = blobs.blob_receive(read=file.read, sha256=sha256, limit=limit, storage=blobs.PRIVATE)
    return StoredFile(name=name, sha256=stored.sha256, bytes=stored.size, rows=rows)


def checkpoint_write(
    export: Export, files: Files, *, done: int, after: int, left_out: Mapping[str, int]
) -> None:
    """Store the files and record the export's progress, so that another worker can resume from here."""
    with file_lock.hold_files():
        stored = files.store()
        export.result = {
            **export.result,
            "files": [*export.result.get("files", []), *map(asdict, stored)],
            "units": done,
            "after": after,
            "checkpoints": files.number + 1,
            "left_out": dict(sorted(left_out.items())),
        }
        Export.objects.filter(pk=export.pk, requested_at=export.requested_at).update(result=export.result)
