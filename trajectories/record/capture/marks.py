"""Marks that show a step's action on the screenshot on which the agent decided it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from trajectories.actions import types
from trajectories.actions.marks import Box, Marks, Offset, number
from trajectories.actions.types import ReportedEvent, get_type

SCALE_LEAST, SCALE_MOST = 0.05, 8.0
RED = (214, 40, 57)
WHITE = (255, 255, 255)
INK = (24, 24, 32)
# Lengths are in CSS pixels.
RING, DOT, LINE, HALO = 16, 4, 3, 2
FONT_SIZE, PADDING, MARGIN = 16, 6, 8
ARROW_SHARE, ARROW_LEAST, HEAD = 0.5, 60, 20
FONT = "DejaVuSans.ttf"

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


def marks_of(action: object, events: Sequence[ReportedEvent], *, scrolled: Offset = (0, 0)) -> Marks:
    """Return the marks of one action.

    ``events`` are the step's events on the page where the action was performed. ``scrolled`` is how far that
    page was scrolled in the screenshot, which matters because it may have scrolled before the event.
    """
    kind = types.find(get_type(action))
    if kind is None or kind.marks is None or not isinstance(action, Mapping):
        return Marks()
    return kind.marks(action, events, scrolled)


def marks_draw(picture: Image.Image, marks: Marks, *, scale: float) -> Image.Image:
    """Return a copy of the picture with the marks. ``scale`` is its pixels per CSS pixel (``scale_of``)."""
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
    """Return a picture's pixels per CSS pixel, from its width and the width that the page reported.

    Returns 1 if the page reported no width.
    """
    width = number(css_pixels)
    if width is None or width <= 0:
        return 1.0
    return min(max(pixels / width, SCALE_LEAST), SCALE_MOST)


def _inside(point: tuple[float, float], picture: Image.Image, scale: float) -> tuple[float, float]:
    """Return the point in pixels of the picture. A point outside the picture is moved to its edge."""
    x, y = point[0] * scale, point[1] * scale
    return min(max(x, 0), picture.width - 1), min(max(y, 0), picture.height - 1)


def _draw_point(draw: ImageDraw.ImageDraw, place: tuple[float, float], scale: float) -> None:
    line = _pixels(LINE, scale)
    for radius, width, colour in ((RING + HALO, line + 2 * _pixels(HALO, scale), WHITE), (RING, line, RED)):
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
    """Draw an arrow through the centre in the direction of the scroll.

    The arrow is as long as the scroll, up to half of the picture's shorter side.
    """
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
    """Draw a label below the box, or above it if there is no room.

    Without a box, the label is at the bottom of the picture.
    """
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
