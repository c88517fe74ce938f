"""A version of the static files, so that browsers can cache them for ever and never show an old one."""

from __future__ import annotations

import hashlib
from pathlib import Path


def folder_version(folder: Path) -> str:
    """12 hex digits of a hash over the names and bytes of all files below a folder."""
    total = hashlib.sha256()
    for path in sorted(file for file in folder.rglob("*") if file.is_file()):
        data = path.read_bytes()
        total.update(f"{path.relative_to(folder).as_posix()}\0{len(data)}\0".encode())
        total.update(data)
    return total.hexdigest()[:12]
