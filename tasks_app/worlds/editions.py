"""The two editions of every world, and the data files that hold their words."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeVar

import msgspec

Edition = Literal["train", "test"]
T = TypeVar("T")


def toml_load(path: Path, kind: type[T]) -> T:
    """The content of a TOML file; ``msgspec.ValidationError`` when it is not of the kind."""
    return msgspec.toml.decode(path.read_bytes(), type=kind)
