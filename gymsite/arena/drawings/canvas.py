"""A canvas of 800 by 600 units that draws flat shapes with smooth edges, at any size."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Self, TypeAlias

from PIL import Image, ImageDraw

WIDTH, HEIGHT = 800, 600
SAMPLES = 2
"""Canvas pixels per picture pixel, in each direction."""
CURVE_STEPS = 14
CORNER_STEPS = 8
SHADES = 160
"""The maximum number of steps in a fade; more would be indistinguishable."""

Colour: TypeAlias = tuple[int, int, int]
Point: TypeAlias = tuple[float, float]
Piece: TypeAlias = tuple[float, ...]
"""Part of an outline: a point, or a cubic curve (two handles and its end) from the previous point."""


class Canvas:
    """Canvas for shapes in units. ``alpha`` is opacity, from 0 to 255."""

    def __init__(self, *, width: int) -> None:
        self._scale = width * SAMPLES / WIDTH
        self._origin = (0.0, 0.0)
        size = (width * SAMPLES, width * SAMPLES * HEIGHT // WIDTH)
        self._image = Image.new("RGB", size)
        self._draw = ImageDraw.Draw(self._image, "RGBA")

    def picture(self) -> Image.Image:
        return self._image.reduce(SAMPLES)

    def moved(self, x: float, y: float) -> Self:
        """Return the same canvas with its origin at ``x``, ``y``."""
        canvas = copy.copy(self)
        canvas._origin = (x, y)
        return canvas

    def _scaled(self, points: Iterable[Point]) -> list[Point]:
        scale, (left, top) = self._scale, self._origin
        return [((left + x) * scale, (top + y) * scale) for x, y in points]

    def fade(self, top: float, bottom: float, above: Colour, below: Colour) -> None:
        """Fill the whole width between two heights with a fade from one colour to another."""
        first, last = round(top * self._scale), round(bottom * self._scale)
        rows = max(last - first, 1)
        shades = min(rows, SHADES)
        column = Image.new("RGB", (1, shades))
        column.putdata([mix(above, below, shade / shades) for shade in range(shades)])
        self._image.paste(column.resize((self._image.width, rows), Image.Resampling.NEAREST), (0, first))

    def area(self, points: Iterable[Point], colour: Colour, *, alpha: int = 255) -> None:
        self._draw.polygon(self._scaled(points), fill=(*colour, alpha))

    def shape(self, pieces: Sequence[Piece], colour: Colour, *, alpha: int = 255) -> None:
        """Fill an outline of lines and cubic curves."""
        self.area(outline(pieces), colour, alpha=alpha)

    def box(
        self, x: float, y: float, width: float, height: float, colour: Colour, *,
        round_by: float = 0, alpha: int = 255,
    ) -> None:  # fmt: skip
        if round_by:
            self.area(rounded(x, y, width, height, min(round_by, width / 2, height / 2)), colour, alpha=alpha)
        else:
            self.area([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], colour, alpha=alpha)

    def disc(
        self, x: float, y: float, radius: float, colour: Colour, *, flat: float = 1, alpha: int = 255
    ) -> None:
        """Draw a circle, or an ellipse whose height is ``flat`` times its width."""
        self.ellipse(x, y, radius, radius * flat, colour, alpha=alpha)

    def ellipse(
        self, cx: float, cy: float, rx: float, ry: float, colour: Colour, *, alpha: int = 255
    ) -> None:
        ((x, y),) = self._scaled([(cx, cy)])
        across, along = rx * self._scale, ry * self._scale
        box = (x - across, y - along, x + across, y + along)
        self._draw.ellipse(box, fill=(*colour, alpha))

    def line(self, points: Sequence[Point], colour: Colour, width: float, *, alpha: int = 255) -> None:
        """Draw a line with round ends."""
        thickness = max(round(width * self._scale), 1)
        self._draw.line(self._scaled(points), fill=(*colour, alpha), width=thickness, joint="curve")
        if alpha == 255:
            for x, y in (points[0], points[-1]):
                self.disc(x, y, width / 2, colour)

    def curve(self, pieces: Sequence[Piece], colour: Colour, width: float, *, alpha: int = 255) -> None:
        self.line(outline(pieces), colour, width, alpha=alpha)

    def glow(self, x: float, y: float, radius: float, colour: Colour, *, alpha: int = 60) -> None:
        """Draw the light around a lamp."""
        for ring in range(4):
            self.disc(x, y, radius * (1 - ring * 0.22), colour, alpha=alpha // 4 + ring * alpha // 12)

    def shadow(self, x: float, y: float, radius: float, *, flat: float = 0.14, alpha: int = 70) -> None:
        """Draw a thing's shadow on the ground."""
        for ring in range(3):
            self.disc(x, y, radius * (1.1 - ring * 0.12), (20, 24, 34), flat=flat, alpha=alpha // 3)


Drawing: TypeAlias = Callable[[int], Image.Image]
"""Function that draws a picture at a given width."""


def mix(first: Colour, other: Colour, share: float) -> Colour:
    """Mix two colours; ``share`` 0 is the first, 1 the second."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, other, strict=True))
    return red, green, blue


def lighter(colour: Colour, share: float) -> Colour:
    return mix(colour, (255, 255, 255), share)


def darker(colour: Colour, share: float) -> Colour:
    return mix(colour, (22, 24, 38), share)


def parse_hex(text: str) -> Colour:
    """Parse a colour such as ``e0b877``."""
    red, green, blue = bytes.fromhex(text.removeprefix("#"))
    return red, green, blue


def parse_palette(text: str) -> tuple[Colour, ...]:
    """Parse colours separated by spaces."""
    return tuple(map(parse_hex, text.split()))


def outline(pieces: Sequence[Piece]) -> list[Point]:
    points: list[Point] = []
    for piece in pieces:
        if len(piece) == 2:
            points.append((piece[0], piece[1]))
        else:
            points += _cubic(points[-1], piece)
    return points


def rounded(x: float, y: float, width: float, height: float, radius: float) -> list[Point]:
    corners = (
        (x + width - radius, y + radius, -90),
        (x + width - radius, y + height - radius, 0),
        (x + radius, y + height - radius, 90),
        (x + radius, y + radius, 180),
    )
    return [
        (
            cx + radius * math.cos(math.radians(start + 90 * step / CORNER_STEPS)),
            cy + radius * math.sin(math.radians(start + 90 * step / CORNER_STEPS)),
        )
        for cx, cy, start in corners
        for step in range(CORNER_STEPS + 1)
    ]


def _cubic(start: Point, piece: Piece) -> list[Point]:
    x1, y1, x2, y2, x3, y3 = piece
    points = []
    for step in range(1, CURVE_STEPS + 1):
        t = step / CURVE_STEPS
        a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        points.append((a * start[0] + b * x1 + c * x2 + d * x3, a * start[1] + b * y1 + c * y2 + d * y3))
    return points
