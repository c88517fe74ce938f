"""Access to the mock sites' pictures for the lab and the workers, which may not import the arena."""

from __future__ import annotations

from collections.abc import Callable

Draw = Callable[[str, int], bytes]

_sources: list[Draw] = []


def source_set(draw: Draw) -> None:
    """Set the function that draws a picture by name and width; it raises ``KeyError`` if there is none."""
    _sources[:] = [draw]


def read_drawing(name: str, *, width: int) -> bytes:
    """Return the WebP file of a picture. Raises ``KeyError`` for an unknown name or width."""
    if not _sources:
        raise KeyError(name)
    return _sources[0](name, width)
