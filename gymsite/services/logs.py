"""One log file per child, rotated by size."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import IO

MAX_BYTES = 20 * 1024 * 1024


def log_path(logs_dir: Path, name: str) -> Path:
    return logs_dir / f"{name}.log"


def log_open(logs_dir: Path, name: str) -> IO[bytes]:
    """Open the log for appending. Children write to it themselves, so nothing is lost when we die."""
    return log_path(logs_dir, name).open("ab", buffering=0)


def rotate_all(logs_dir: Path, *, max_bytes: int = MAX_BYTES) -> None:
    """Move the content of each oversized log to ``<name>.log.1``.

    The log is copied and truncated, not renamed: its writer keeps it open and appends to it.
    """
    for path in logs_dir.glob("*.log"):
        if path.stat().st_size > max_bytes:
            shutil.copyfile(path, path.with_suffix(".log.1"))
            with path.open("r+b") as log:
                log.truncate(0)
