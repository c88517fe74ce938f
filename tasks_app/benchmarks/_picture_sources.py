"""Pictures in the forms that data sets use: bytes, a struct of bytes and path, or a file's path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tasks_app.types import PictureDraft


def picture_draft(cell: Any, *, folder: Path) -> PictureDraft:
    """Build a picture's draft from a cell.

    The cell is bytes, the hub's ``{"bytes", "path"}`` or a path below ``folder``. A file is not read until
    the draft is stored. Raises ``ValueError`` for other cells and missing files.
    """
    content = cell.get("bytes") if isinstance(cell, dict) else cell
    if isinstance(content, bytes):
        return PictureDraft(data=content)
    name = cell.get("path") if isinstance(cell, dict) else cell
    if not isinstance(name, str) or not name:
        raise ValueError("a picture is neither bytes nor the path of a file")
    return PictureDraft(data=_file_below(folder, name).read_bytes)


def _file_below(folder: Path, name: str) -> Path:
    """Resolve a file's name; data files are untrusted, so the name must not lead outside their folder."""
    file = folder / name
    if "\0" in name or not file.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"the picture {name[:80]!r} is outside the folder of its data file")
    if not file.is_file():
        raise ValueError(f"there is no picture {name[:80]!r} next to the data file")
    return file
