"""Files that survive a power failure, appear whole or not at all, and replace damaged ones; in any storage.

In a folder, a file is first written as a part in ``incoming``, flushed to disk and renamed, and its folders
are flushed too, before the write is acknowledged. Other storages give this guarantee themselves: an object
appears only when all of it has arrived.
"""

from __future__ import annotations

import errno
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, TypeVar

from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage

INCOMING = "incoming"
MODE = 0o640
# No upload pauses for so long, so such a part belongs to a killed process.
PART_MAX_AGE_S = 3600.0
# Concurrent requests per process to remote storage. The threads mostly wait.
THREADS = 16

T = TypeVar("T")
R = TypeVar("R")


@contextmanager
def part_open(storage: Storage) -> Iterator[IO[bytes]]:
    """Provide a temporary file to write to and then pass to ``part_keep``; it is deleted afterwards.

    If the storage is a folder, the file has a name there, and a killed process leaves it behind.
    """
    if not isinstance(storage, FileSystemStorage):
        with tempfile.TemporaryFile() as part:
            yield part
        return
    folder = _incoming(storage)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as part:
        try:
            yield part
        finally:
            Path(part.name).unlink(missing_ok=True)


def part_keep(storage: Storage, part: IO[bytes], *, name: str) -> bool:
    """Make the part durable as the file ``name``; return False if a file of its size was already there.

    A file of any other size is damaged, and is replaced.
    """
    part.flush()
    size = os.fstat(part.fileno()).st_size
    is_new = file_size(storage, name) != size
    if isinstance(storage, FileSystemStorage):
        target = Path(storage.path(name))
        if is_new:
            _rename(part, target)
        # Existing files need this too, because their writer may have been killed before this step.
        _folders_flush(target.parent, top=Path(storage.location))
    elif is_new:
        _replace(storage, part, name=name, size=size)
    return is_new


def file_size(storage: Storage, name: str) -> int | None:
    """Return the file's size in bytes, or None if there is no such file."""
    try:
        return storage.size(name)
    except FileNotFoundError:
        return None


def files_map(storage: Storage, look: Callable[[T], R], files: Iterable[T]) -> Iterator[R]:
    """Yield the result of ``look`` for each file, in order; use threads if the storage is remote."""
    if isinstance(storage, FileSystemStorage):
        return map(look, files)
    return _threads().map(look, files)


def parts_sweep(storage: Storage, *, max_age_s: float = PART_MAX_AGE_S) -> int:
    """Delete parts of killed uploads, last written more than ``max_age_s`` ago, and return their number."""
    if not isinstance(storage, FileSystemStorage):
        return 0
    swept = 0
    written_before = time.time() - max_age_s
    for part in _incoming(storage).glob("*"):
        try:
            if part.stat().st_mtime < written_before:
                part.unlink()
                swept += 1
        except FileNotFoundError:
            continue  # its upload has just finished
    return swept


def path_flush(path: Path) -> None:
    """Flush to disk what the system still holds in memory: a file's bytes, or a folder's names."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno != errno.EINVAL or not path.is_dir():  # some file systems cannot flush a folder
            raise
    finally:
        os.close(fd)


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, thread_name_prefix="files")


def _incoming(storage: FileSystemStorage) -> Path:
    return Path(storage.path(INCOMING))


def _rename(part: IO[bytes], target: Path) -> None:
    """Flush and then rename; in the other order, a power failure could leave an empty file of that name."""
    os.fchmod(part.fileno(), MODE)
    os.fsync(part.fileno())
    target.parent.mkdir(parents=True, exist_ok=True)
    Path(part.name).replace(target)


def _folders_flush(folder: Path, *, top: Path) -> None:
    """Flush the names in ``folder`` and in each folder above it, up to ``top``."""
    path_flush(folder)
    if folder != top and top in folder.parents:
        _folders_flush(folder.parent, top=top)


def _replace(storage: Storage, part: IO[bytes], *, name: str, size: int) -> None:
    """Replace the file ``name`` by the part. Some storages overwrite it, others save under another name."""
    saved = _saved(storage, part, name)
    if saved == name:
        return
    storage.delete(saved)
    if file_size(storage, name) == size:
        return  # another upload has stored it meanwhile
    storage.delete(name)
    saved = _saved(storage, part, name)
    if saved != name:
        storage.delete(saved)


def _saved(storage: Storage, part: IO[bytes], name: str) -> str:
    """Save the part and return the name that the storage chose."""
    # Storages may close the file that is passed to them.
    with os.fdopen(os.dup(part.fileno()), "rb") as copy:
        copy.seek(0)
        return storage.save(name, File(copy))
