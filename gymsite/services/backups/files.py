"""Files of a backup. Several are copied at a time, as each mostly waits for the disk; a line lists each."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TextIO

from django.core.files.storage import FileSystemStorage, Storage

from core.errors import GymError
from core.storage import blobs

COPIES_AT_ONCE = 8
AHEAD = 64


class File(NamedTuple):
    """A blob in a storage. ``size`` is in bytes, or None if the blob is missing or damaged."""

    storage: str
    sha256: str
    size: int | None

    def line(self) -> str:
        return f"{self.storage}\t{self.sha256}\t{self.size}\n"


def files_read(lines: TextIO) -> Iterator[File]:
    """Parse the lines that ``File.line`` wrote."""
    for line in lines:
        storage, sha256, size = line.split("\t")
        yield File(storage, sha256, int(size))


def open_copies(folder: Path, storage: str) -> Storage:
    """Return the storage in which the backup keeps its copies of another storage's files."""
    return FileSystemStorage(location=folder / storage)


@dataclass(frozen=True, kw_only=True)
class Copying:
    """Copier of the blobs that one storage has and another lacks, in a given order."""

    name: str
    source: Storage
    target: Storage

    def copy_all(self, hashes: Iterable[str]) -> Iterator[File]:
        ahead: deque[Future[File]] = deque()
        with ThreadPoolExecutor(COPIES_AT_ONCE) as threads:
            for sha256 in hashes:
                ahead.append(threads.submit(self._copy, sha256))
                if len(ahead) >= AHEAD:
                    yield ahead.popleft().result()
            for future in ahead:
                yield future.result()

    def _copy(self, sha256: str) -> File:
        size = blobs.stored_size(self.source, sha256)
        if size is not None and blobs.stored_size(self.target, sha256) != size:
            try:
                size = blobs.blob_copy(sha256, source=self.source, target=self.target)
            except (FileNotFoundError, GymError):
                size = None
        return File(self.name, sha256, size)
