"""Places and the distances between them."""

from __future__ import annotations

from math import isqrt

from tasks_app.tools.data import Place, ToolData


def find_place(data: ToolData, name: str) -> Place:
    """Return the place with this full name. Raises ``KeyError`` if there is none."""
    return {place.name: place for place in data.places}[name]


def kilometres(data: ToolData, start: str, end: str) -> int:
    """Return the distance between two places, given by their full names, to the nearest kilometre."""
    first, other = find_place(data, start), find_place(data, end)
    square = (first.x - other.x) ** 2 + (first.y - other.y) ** 2
    # Round to the nearest whole number: the root of four times the square is twice the distance.
    return (isqrt(4 * square) + 1) // 2
