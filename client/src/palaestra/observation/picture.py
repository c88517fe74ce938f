"""Pictures of pages: their size and the marks on interactive elements."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

Size = tuple[int, int]
Box = tuple[float, float, float, float]
"""Left, top, width and height, in pixels."""

FONT_PX = 11
PADDING_PX = 2
COLOURS = ((196, 0, 60), (0, 90, 200), (0, 120, 60), (140, 60, 180), (170, 80, 0))
WHITE = (255, 255, 255)
FONT = ImageFont.load_default(FONT_PX)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """An interactive element in view: its id, its box in pixels of the viewport and its line."""

    id: str
    box: Box
    line: str


def picture_size(viewport: Size, largest: int | None) -> Size:
    """Return the width and height of a viewport's picture; neither is more than ``largest`` pixels."""
    scale = min(1.0, largest / max(viewport)) if largest else 1.0
    return round(viewport[0] * scale), round(viewport[1] * scale)


def picture_make(screenshot: bytes, *, size: Size, marks: Sequence[Mark] = ()) -> bytes:
    """Return a screenshot as a PNG of ``size`` with ``marks`` drawn on it.

    The screenshot is returned unchanged if it has that size and there are no marks.
    """
    image: Image.Image = Image.open(io.BytesIO(screenshot))
    if not marks and image.size == size:
        return screenshot
    scale = size[0] / image.width
    image = image.convert("RGB")
    if image.size != size:
        image = image.resize(size, Image.Resampling.LANCZOS)
    _marks_draw(image, marks, scale)
    drawn = io.BytesIO()
    image.save(drawn, "PNG", compress_level=1)
    return drawn.getvalue()


def _marks_draw(image: Image.Image, marks: Sequence[Mark], scale: float) -> None:
    """Frame each marked element and put its id where the picture is emptiest, so that it hides no text."""
    clean = image.convert("L")
    draw = ImageDraw.Draw(image)
    labels: list[Box] = []
    for number, mark in enumerate(marks):
        colour = COLOURS[number % len(COLOURS)]
        box = _scaled(mark.box, scale)
        left, top, width, height = box
        draw.rectangle((left - 1, top - 1, left + width, top + height), outline=colour)
        label = _label_place(clean, box, mark.id, labels)
        labels.append(label)
        draw.rectangle((label[0], label[1], label[0] + label[2] - 1, label[1] + label[3] - 1), fill=colour)
        draw.text((label[0] + PADDING_PX, label[1] + 1), mark.id, fill=WHITE, font=FONT)


def _label_place(clean: Image.Image, box: Box, id: str, taken: Sequence[Box]) -> Box:
    """Return where a label hides least: near its element's corners, on plain pixels, not on other labels."""
    left, top, width, height = box
    wide, high = FONT.getlength(id) + 2 * PADDING_PX, float(FONT_PX + 3)
    right, bottom = left + width, top + height
    middle = top + (height - high) / 2
    places = [
        (left, top - high),
        (left - wide, top),
        (left - wide, middle),
        (right, top),
        (right, middle),
        (right - wide, top - high),
        (left, bottom),
        (right - wide, bottom),
        (right - wide, top),
        (right - wide, middle),
        (left, top),
    ]
    inside = [
        (min(max(x, 0), clean.width - wide), min(max(y, 0), clean.height - high), wide, high)
        for x, y in places
    ]
    return min(inside, key=lambda place: _unrest(clean, place) + 255 * _overlaps(place, taken))


def _unrest(clean: Image.Image, place: Box) -> int:
    """Return the contrast of the pixels at a place: high for text, zero for a plain background."""
    left, top, width, height = place
    low, high = clean.crop((int(left), int(top), int(left + width), int(top + height))).getextrema()
    return int(high) - int(low)  # type: ignore[arg-type]  # a greyscale picture has numbers here


def _overlaps(place: Box, taken: Sequence[Box]) -> int:
    left, top, width, height = place
    return sum(
        left < x + wide and x < left + width and top < y + high and y < top + height
        for x, y, wide, high in taken
    )


def _scaled(box: Box, scale: float) -> Box:
    left, top, width, height = (side * scale for side in box)
    return left, top, width, height
