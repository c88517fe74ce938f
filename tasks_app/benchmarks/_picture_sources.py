"""Pictures as data sets store them: bytes in a cell, a struct of bytes and path, or the path of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tasks_app.types import PictureDraft


def picture_draft(cell: Any, *, folder: Path) -> PictureDraft:
    """Build the draft of a picture: ``cell`` is bytes, ``{"bytes", "path"}`` as the hub's files have it, or a
    path below ``folder``.

    A file is read when the draft is stored. Raises ``ValueError`` for other cells and missing files.
    """
    content = cell.get("bytes") if isinstance(cell, dict) else cell
    if isinstance(content, bytes):
        return PictureDraft(data=content)
    name = cell.get("path") if isinstance(cell, dict) else cell
    if not isinstance(name, str) or not name:
        raise ValueError("a picture is neither bytes nor the path of a file")
    return PictureDraft(data=_file_below(folder, name).read_bytes)


def _file_below(folder: Path, name: str) -> Path:
    """Resolve a file's name; a data file may come from anywhere, so it must not point outside its folder."""
    file = folder / name
    if "\0" in name or not file.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"the picture {name[:80]!r} is outside the folder of its data file")
    if not file.is_file():
        raise ValueError(f"there is no picture {name[:80]!r} next to the data file")
    return file
