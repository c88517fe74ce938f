"""Loading of data from TOML files."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")


def toml_load(path: Path, kind: type[T]) -> T:
    """Load a TOML file as ``kind``. Raises ``msgspec.ValidationError``, which names the mismatch."""
    return msgspec.toml.decode(path.read_bytes(), type=kind)


def table_load(path: Path, kind: type[T]) -> list[T]:
    """Load the records of a TOML file that contains a single array of tables."""
    (records,) = toml_load(path, dict[str, list[kind]]).values()  # type: ignore[valid-type]
    return records
