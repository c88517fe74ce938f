"""What a step did, drawn on the screenshot that it was decided on.

Click point, target, typed text, scrolling: places are the page's own word (its events), else the action's,
in CSS pixels of the viewport. Anything may be in them: what is no number of a sensible size is left out, and
text is drawn without control characters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from PIL import Image, ImageDraw, ImageFont

TEXT_CHARS = 60
FAR = 100_000
SCALE_LEAST, SCALE_MOST = 0.05, 8.0
RED = (214, 40, 57)
WHITE = (255, 255, 255)
INK = (24, 24, 32)
# In CSS pixels.
RING, DOT, LINE, HALO = 16, 4, 3, 2
FONT_SIZE, PADDING, MARGIN = 16, 6, 8
ARROW_SHARE, ARROW_LEAST, HEAD = 0.5, 60, 20
FONT = "DejaVuSans.ttf"

Box = tuple[float, float, float, float]  # x, y, width, height
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A page event, as far as marks need it."""

    kind: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Marks:
    """In CSS pixels of the viewport.

    ``text`` belongs to the box, or to the whole page without one; ``scroll`` is how far the page was told to
    move.
    """

    point: tuple[float, float] | None = None
    box: Box | None = None
    text: str = ""
    scroll: tuple[float, float] | None = None

    @property
    def is_empty(self) -> bool:
        return self == Marks()


def marks_of(action: object, events: Sequence[Seen], *, scrolled: tuple[float, float] = (0, 0)) -> Marks:
    """The marks of one action.

    ``events`` are those of its step, on the page that it was done on; ``scrolled`` is how far that page was
    scrolled on the screenshot: it may have moved before the event.
    """
    if not isinstance(action, Mapping):
        return Marks()
    make = _MAKERS.get(str(action.get("type")))
    return make(action, events, scrolled) if make else Marks()


def marks_draw(picture: Image.Image, marks: Marks, *, scale: float) -> Image.Image:
    """A copy of the picture with the marks; ``scale`` is its pixels for one CSS pixel (``scale_of``)."""
    drawn = picture.convert("RGB")
    if marks.is_empty:
        return drawn
    draw = ImageDraw.Draw(drawn)
    if marks.box:
        _draw_box(draw, marks.box, scale)
    if marks.point:
        _draw_point(draw, _inside(marks.point, drawn, scale), scale)
    if marks.scroll:
        _draw_arrow(draw, marks.scroll, drawn, scale)
    if marks.text:
        _draw_text(draw, marks, drawn, scale)
    return drawn


def scale_of(*, pixels: int, css_pixels: object) -> float:
    """Pixels of a picture for one CSS pixel, from its width and the page's word for its own, else 1."""
    width = _number(css_pixels)
    if width is None or width <= 0:
        return 1.0
    return min(max(pixels / width, SCALE_LEAST), SCALE_MOST)


def scroll_told(data: Mapping[str, Any], *, kind: str) -> tuple[float, float] | None:
    """How far the page was scrolled at an event, if the event says so."""
    given = [data.get("x"), data.get("y")] if kind == "scroll" else data.get("scroll")
    if not isinstance(given, list) or len(given) != 2:
        return None
    x, y = _number(given[0]), _number(given[1])
    return None if x is None or y is None else (x, y)


def _click(action: Mapping[str, Any], events: Sequence[Seen], scrolled: tuple[float, float]) -> Marks:
    event = next((one for one in events if one.kind == "click"), None)
    if event is None:
        return Marks(point=_point(action, (0, 0)))
    moved = _moved(event, scrolled)
    return Marks(point=_point(event.data, moved), box=_box(event.data, moved))


def _typed(action: Mapping[str, Any], events: Sequence[Seen], scrolled: tuple[float, float]) -> Marks:
    given = action.get("text", action.get("value"))
    return Marks(box=_field(events, scrolled), text=_shown(given))


def _press(action: Mapping[str, Any], events: Sequence[Seen], scrolled: tuple[float, float]) -> Marks:
    return Marks(box=_field(events, scrolled), text=_shown(action.get("key")))


def _scroll(action: Mapping[str, Any], _events: Sequence[Seen], _scrolled: tuple[float, float]) -> Marks:
    dx, dy = _number(action.get("dx", 0)) or 0, _number(action.get("dy", 0)) or 0
    return Marks(scroll=(dx, dy)) if dx or dy else Marks()


_MAKERS = {"click": _click, "type": _typed, "select": _typed, "press": _press, "scroll": _scroll}


def _field(events: Iterable[Seen], scrolled: tuple[float, float]) -> Box | None:
    """The box of the first element that was typed in, else focused."""
    for kind in ("input", "focus", "key"):
        boxes = (_box(one.data, _moved(one, scrolled)) for one in events if one.kind == kind)
        found = next((box for box in boxes if box), None)
        if found:
            return found
    return None


def _moved(event: Seen, scrolled: tuple[float, float]) -> tuple[float, float]:
    told = scroll_told(event.data, kind=event.kind)
    return (told[0] - scrolled[0], told[1] - scrolled[1]) if told else (0, 0)


def _point(data: Mapping[str, Any], moved: tuple[float, float]) -> tuple[float, float] | None:
    x, y = _number(data.get("x")), _number(data.get("y"))
    return None if x is None or y is None else (x + moved[0], y + moved[1])


def _box(data: Mapping[str, Any], moved: tuple[float, float]) -> Box | None:
    given = data.get("box")
    numbers = [_number(value) for value in given] if isinstance(given, list) else []
    x, y, width, height = numbers if len(numbers) == 4 else [None] * 4
    if x is None or y is None or width is None or height is None or width <= 0 or height <= 0:
        return None
    return x + moved[0], y + moved[1], width, height


def _number(value: object) -> float | None:
    """A number of a sensible size; JSON has room for others."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -FAR <= value <= FAR:
        return None
    return float(value)


def _shown(value: object) -> str:
    """Text without what cannot be drawn or would turn it round (control, format, surrogate characters)."""
    if not isinstance(value, str):
        return ""
    line = " ".join(value[: 10 * TEXT_CHARS].split())
    clean = "".join(one for one in line if not unicodedata.category(one).startswith("C"))
    return clean if len(clean) <= TEXT_CHARS else clean[: TEXT_CHARS - 1] + "…"


def _inside(point: tuple[float, float], picture: Image.Image, scale: float) -> tuple[float, float]:
    """In pixels of the picture; what lies outside is drawn at its edge."""
    x, y = point[0] * scale, point[1] * scale
    return min(max(x, 0), picture.width - 1), min(max(y, 0), picture.height - 1)


def _draw_point(draw: ImageDraw.ImageDraw, place: tuple[float, float], scale: float) -> None:
    line = _pixels(LINE, scale)
    for radius, width, colour in (
        (RING + HALO, line + 2 * _pixels(HALO, scale), WHITE),
        (RING, line, RED),
    ):
        draw.ellipse(_around(place, radius * scale), outline=colour, width=width)
    draw.ellipse(_around(place, max(2, DOT * scale)), fill=RED)


def _around(place: tuple[float, float], radius: float) -> Box:
    return place[0] - radius, place[1] - radius, place[0] + radius, place[1] + radius


def _draw_box(draw: ImageDraw.ImageDraw, box: Box, scale: float) -> None:
    x, y, width, height = (value * scale for value in box)
    corners = (x, y, x + width, y + height)
    gap = _pixels(HALO, scale)
    grown = (corners[0] - gap, corners[1] - gap, corners[2] + gap, corners[3] + gap)
    draw.rectangle(grown, outline=WHITE, width=gap)
    draw.rectangle(corners, outline=RED, width=_pixels(LINE, scale))


def _draw_arrow(
    draw: ImageDraw.ImageDraw, scroll: tuple[float, float], picture: Image.Image, scale: float
) -> None:
    """From the middle in the direction of the scrolling, as long as it, up to half of the picture."""
    dx, dy = scroll[0] * scale, scroll[1] * scale
    distance = (dx**2 + dy**2) ** 0.5
    longest = ARROW_SHARE * min(picture.width, picture.height)
    length = min(max(distance, ARROW_LEAST * scale), longest)
    ux, uy = dx / distance, dy / distance
    start = (picture.width / 2 - ux * length / 2, picture.height / 2 - uy * length / 2)
    tip = (start[0] + ux * length, start[1] + uy * length)
    head = HEAD * scale
    base = (tip[0] - ux * head, tip[1] - uy * head)
    wings = [(base[0] - uy * head * side, base[1] + ux * head * side) for side in (1.0, -1.0)]
    for extra, colour in ((2 * _pixels(HALO, scale), WHITE), (0, RED)):
        draw.line([start, base], fill=colour, width=2 * _pixels(LINE, scale) + extra)
    draw.polygon([tip, *wings], fill=RED, outline=WHITE)


def _draw_text(draw: ImageDraw.ImageDraw, marks: Marks, picture: Image.Image, scale: float) -> None:
    """A label below the box, above it where there is no room, at the foot of the picture without one."""
    font, padding = _font(max(8, round(FONT_SIZE * scale))), _pixels(PADDING, scale)
    text = _fitting(draw, marks.text, font, room=picture.width - 4 * padding)
    left, top, right, bottom = draw.textbbox((0, 0), text, font=font)
    width, height = right - left + 2 * padding, bottom - top + 2 * padding
    x, y = (picture.width - width) / 2, picture.height - height - MARGIN * scale
    if marks.box:
        x = marks.box[0] * scale
        below = (marks.box[1] + marks.box[3] + MARGIN) * scale
        above = (marks.box[1] - MARGIN) * scale - height
        y = below if below + height <= picture.height else above
    x, y = min(max(x, 0), max(picture.width - width, 0)), min(max(y, 0), max(picture.height - height, 0))
    draw.rounded_rectangle((x, y, x + width, y + height), radius=padding, fill=INK, outline=WHITE)
    draw.text((x + padding - left, y + padding - top), text, font=font, fill=WHITE)


def _fitting(draw: ImageDraw.ImageDraw, text: str, font: Font, *, room: float) -> str:
    if draw.textlength(text, font=font) <= room:
        return text
    while text and draw.textlength(text + "…", font=font) > room:
        text = text[:-1]
    return text + "…"


def _pixels(length: float, scale: float) -> int:
    return max(1, round(length * scale))


@lru_cache(maxsize=16)
def _font(size: int) -> Font:
    try:
        return ImageFont.truetype(FONT, size)
    except OSError:
        return ImageFont.load_default(size)
