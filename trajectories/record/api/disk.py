"""Free space for screenshots, and whether they can be stored at all."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from django.core.files.storage import FileSystemStorage, Storage, storages

from core import blobs, durable_files

PROBE_BYTES = 64 * 1024
PROBE = "probe"


class Disk(NamedTuple):
    """``free_bytes`` is None for a bucket, which is writable as far as it answers."""

    is_writable: bool
    free_bytes: int | None


def disk_probe() -> Disk:
    """Write to the folder of the blobs, since a disk can refuse that for other reasons than being full."""
    storage = storages[blobs.BLOBS]
    if not isinstance(storage, FileSystemStorage):
        return Disk(_answers(storage), None)
    folder = Path(storage.location)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(PROBE_BYTES))
            probe.flush()
        return Disk(True, shutil.disk_usage(folder).free)
    except OSError:
        return Disk(False, shutil.disk_usage(folder).free if folder.exists() else 0)


def _answers(storage: Storage) -> bool:
    try:
        durable_files.file_size(storage, PROBE)
    except OSError:
        return False
    return True
