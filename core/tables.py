"""Tables of records in TOML files."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")


def table_load(path: Path, kind: type[T]) -> list[T]:
    """The records of a file's one array; ``msgspec.ValidationError`` names a field that is wrong."""
    (records,) = msgspec.toml.decode(path.read_bytes(), type=dict[str, list[kind]]).values()  # type: ignore[valid-type]
    return records
