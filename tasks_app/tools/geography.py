"""Places and the distances between them."""

from __future__ import annotations

from math import isqrt

from tasks_app.tools.data import Place, ToolData


def find_place(data: ToolData, name: str) -> Place:
    """Return the place with a full name. Raises ``KeyError`` if there is none."""
    return {place.name: place for place in data.places}[name]


def kilometres(data: ToolData, start: str, end: str) -> int:
    """Return the distance between two places by their full names, to the nearest whole kilometre."""
    first, other = find_place(data, start), find_place(data, end)
    square = (first.x - other.x) ** 2 + (first.y - other.y) ** 2
    # Four times the square has twice the root, which is rounded by adding one and halving.
    return (isqrt(4 * square) + 1) // 2
