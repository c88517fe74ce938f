"""Marks to draw on a screenshot for an action, as values; ``capture/marks.py`` draws them.

Positions come from the page's own events, in CSS pixels of the viewport, or, failing those, from the action.
Both can contain anything, so absurdly large numbers are ignored, and control characters are removed from
text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

TEXT_CHARS = 60
FAR_PX = 100_000
Offset = tuple[float, float]
Box = tuple[float, float, float, float]  # The order is x, y, width, height.


@dataclass(frozen=True, kw_only=True)
class Marks:
    """The marks of an action, with positions in CSS pixels of the viewport.

    ``text`` labels the box, or the whole page if there is no box; ``scroll`` is how far the page should move.
    With ``is_of_picture``, the point is the action's own, in pixels of the picture that the model was sent.
    """

    point: tuple[float, float] | None = None
    box: Box | None = None
    text: str = ""
    scroll: tuple[float, float] | None = None
    is_of_picture: bool = False

    @property
    def is_empty(self) -> bool:
        return self == Marks()

    def in_css_pixels(self, scale: float) -> Marks:
        """Return the marks in CSS pixels; ``scale`` is the number of picture pixels per CSS pixel."""
        if self.point is None or not self.is_of_picture:
            return self
        return replace(self, point=(self.point[0] / scale, self.point[1] / scale), is_of_picture=False)


def number(value: object, *, most: float = FAR_PX) -> float | None:
    """Return a value if it is a number between -``most`` and ``most``, else None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -most <= value <= most:
        return None
    return float(value)


def pair(values: object, *, most: float = FAR_PX) -> tuple[float, float] | None:
    if not isinstance(values, list) or len(values) != 2:
        return None
    x, y = number(values[0], most=most), number(values[1], most=most)
    return None if x is None or y is None else (x, y)


def scroll_position(data: Mapping[str, Any], *, kind: str, most: float = FAR_PX) -> Offset | None:
    """Return the page's scroll position at an event, or None if the event has none."""
    return pair([data.get("x"), data.get("y")] if kind == "scroll" else data.get("scroll"), most=most)


def shift(data: Mapping[str, Any], *, kind: str, scrolled: Offset) -> Offset:
    """Return the offset from the viewport at an event to the screenshot's viewport."""
    position = scroll_position(data, kind=kind)
    return (position[0] - scrolled[0], position[1] - scrolled[1]) if position else (0, 0)


def find_point(data: Mapping[str, Any], offset: Offset = (0, 0)) -> tuple[float, float] | None:
    point = pair([data.get("x"), data.get("y")])
    return (point[0] + offset[0], point[1] + offset[1]) if point else None


def place_of(action: Mapping[str, Any]) -> Marks:
    """Return the mark of the position that an action names."""
    point = find_point(action)
    return Marks(point=point, is_of_picture=point is not None)


def find_box(data: Mapping[str, Any], offset: Offset) -> Box | None:
    values = data.get("box")
    numbers = [number(value) for value in values] if isinstance(values, list) else []
    x, y, width, height = numbers if len(numbers) == 4 else [None] * 4
    if x is None or y is None or not width or not height or width < 0 or height < 0:
        return None
    return x + offset[0], y + offset[1], width, height


def drawable(value: object) -> str:
    """Drop characters that cannot be drawn or reverse the text (control, format, surrogate)."""
    if not isinstance(value, str):
        return ""
    line = " ".join(value[: 10 * TEXT_CHARS].split())
    clean = "".join(char for char in line if not unicodedata.category(char).startswith("C"))
    return clean if len(clean) <= TEXT_CHARS else clean[: TEXT_CHARS - 1] + "…"
