"""Parts of house fronts, and the surroundings of houses."""

from __future__ import annotations

from dataclasses import dataclass

from core.draws import Draws
from gymsite.arena.drawings.canvas import (
    WIDTH,
    Canvas,
    Colour,
    darker,
    lighter,
    mix,
    parse_hex,
    parse_palette,
)
from gymsite.arena.drawings.lights import FAR_HILLS, GLASS, GRASS, IRON, NEAR_HILLS, Scene, ridge, sky
from gymsite.arena.drawings.plants import bush, flowers, pot, tree

WALLS = parse_palette("e2bd84 cf8465 efe2c6 b3bf9f 9db4c0 dcaa9b f3efe6 b96f5a d9b25f c8c0b2")
ROOFS = parse_palette("565f6b a2533f 74523f 47525a 8a4a3c")
PAINTS = parse_palette("2f5d62 7a3b3b 3f5a3c 33425f 5b4636 8a6d2f")
FRAME = parse_hex("f6f2e8")
STONE = parse_hex("d8d0c2")
BASE = 500
"""The height at which houses meet the ground."""


@dataclass(frozen=True, kw_only=True)
class Paint:
    wall: Colour
    roof: Colour
    wood: Colour


def paint_drawn(draws: Draws) -> Paint:
    return Paint(wall=draws.pick(WALLS), roof=draws.pick(ROOFS), wood=draws.pick(PAINTS))


def window(
    s: Scene, *, x: float, y: float, width: float, height: float,
    arched: bool = False, shutters: Colour | None = None, bars: int = 1,
) -> None:  # fmt: skip
    """Draw a window whose top left corner is at ``x``, ``y``. Chance decides whether it is lit."""
    glass = s.glass(0.62)
    is_lit = glass == s.light.lamp
    frame = s.on(FRAME)
    top = width / 2 if arched else 0
    if shutters:
        for left in (x - width * 0.52, x + width * 1.06):
            s.box(left, y, width * 0.46, height, s.on(shutters))
            for slat in range(1, 5):
                s.box(left + 2, y + height * slat / 5, width * 0.46 - 4, 1.4, darker(s.on(shutters), 0.25))
    if arched:
        s.disc(x + width / 2, y + top, width / 2 + 3, frame)
        s.disc(x + width / 2, y + top, width / 2, glass)
    s.box(x - 3, y + top, width + 6, height - top + 3, frame)
    s.box(x, y + top, width, height - top, glass)
    if not is_lit:
        s.area(
            [(x, y + height * 0.75), (x + width * 0.8, y + top), (x + width, y + top), (x, y + height)],
            lighter(glass, 0.5), alpha=70,
        )  # fmt: skip
    for bar in range(1, bars + 1):
        s.box(x + width * bar / (bars + 1) - 1.2, y + top * 0.2, 2.4, height - top * 0.2, frame)
    s.box(x, y + max(height * 0.36, top), width, 2.4, frame)
    s.box(x - 6, y + height + 2, width + 12, 4, darker(s.on(STONE), 0.08))


def door(
    s: Scene, *, x: float, base: float, width: float, height: float, colour: Colour,
    arched: bool = False,
) -> None:  # fmt: skip
    wood, stone = s.on(colour), s.on(STONE)
    if arched:
        s.disc(x + width / 2, base - height, width / 2 + 6, stone)
        s.disc(x + width / 2, base - height, width / 2, s.lit(GLASS))
    else:
        s.box(x, base - height - 20, width, 20, s.lit(GLASS))
    s.box(x - 6, base - height, width + 12, height, stone)
    s.box(x, base - height, width, height, wood)
    for side in (0.12, 0.56):
        for up in (0.12, 0.56):
            s.box(
                x + width * side, base - height * (up + 0.34), width * 0.32, height * 0.34, lighter(wood, 0.1)
            )
    s.disc(x + width * 0.5, base - height * 0.46, 2.6, s.on("d9b25f"))
    for step in range(2):
        s.box(x - 10 - 8 * step, base - 6 + 6 * step, width + 20 + 16 * step, 7, darker(stone, 0.06 * step))
    if s.light.lamp:
        s.glow(x + width * 1.25, base - height * 0.9, 40, s.light.lamp, alpha=70)
    s.box(x + width * 1.25 - 4, base - height * 0.95, 8, 13, s.lit(IRON), round_by=2)


def roof_gable(c: Canvas, colour: Colour, *, x: float, y: float, width: float, height: float) -> None:
    """Draw a gable seen from its front."""
    c.area([(x - 18, y + 8), (x + width / 2, y - height - 8), (x + width + 18, y + 8)], colour)


def roof_wide(
    c: Canvas, colour: Colour, *, x: float, y: float, width: float, height: float, hip: float = 0.1
) -> None:
    """Draw a roof seen from its long side, in rows of tiles."""
    slope = width * hip
    c.area(
        [(x - 16, y), (x + slope, y - height), (x + width - slope, y - height), (x + width + 16, y)], colour
    )
    rows = max(int(height / 16), 2)
    for row in range(1, rows):
        part = row / rows
        inset = (slope + 16) * (1 - part)
        c.box(x - 16 + inset, y - height * (1 - part), width + 32 - 2 * inset, 2, darker(colour, 0.14))
    c.box(x - 18, y - 3, width + 36, 7, darker(colour, 0.28), round_by=3)


def chimney(s: Scene, *, x: float, top: float, height: float) -> None:
    brick = s.on("a06552")
    s.box(x, top, 26, height, brick)
    s.box(x + 16, top, 10, height, darker(brick, 0.16))
    s.box(x - 4, top - 6, 34, 9, darker(brick, 0.1))


def street_ground(s: Scene) -> None:
    s.fade(BASE, 600, s.on("cfc8ba"), s.on("b4ac9d"))
    s.box(0, BASE, WIDTH, 12, s.on("dcd6ca"))
    s.box(0, BASE + 12, WIDTH, 4, darker(s.on("b4ac9d"), 0.15))
    for y, step in ((536, 90), (566, 130)):
        for x in range(-40, WIDTH, step):
            s.box(x + (y % 37), y, step * 0.5, 3, darker(s.on("b4ac9d"), 0.08), round_by=2, alpha=120)


def meadow_ground(s: Scene) -> None:
    grass = s.on(GRASS)
    ridge(s, darker(grass, 0.06), y=BASE - 24, height=12)
    s.fade(BASE, 600, grass, darker(grass, 0.16))
    for _ in range(30):
        x, y = s.draws.whole(0, WIDTH), s.draws.whole(BASE + 12, 596)
        s.line([(x, y), (x + 2, y - 8)], lighter(grass, 0.14), 2)


def neighbours(s: Scene, *, left: float, right: float) -> None:
    """Draw paler houses on both sides of the stretch from ``left`` to ``right``."""
    x = -30.0
    while x < WIDTH:
        width, height = s.draws.whole(110, 170), s.draws.whole(170, 290)
        if x + width < left + 60 or x > right - 60:
            _neighbour(s, x=x, width=width, height=height)
        x += width


def _neighbour(s: Scene, *, x: float, width: float, height: float) -> None:
    wall = mix(s.any_of(WALLS), s.light.horizon, 0.34)
    roof = mix(s.any_of(ROOFS), s.light.horizon, 0.34)
    top = BASE - height
    if s.draws.chance(0.5):
        s.area([(x, top), (x + width / 2, top - 64), (x + width, top)], roof)
    else:
        s.area([(x, top), (x + 14, top - 46), (x + width - 14, top - 46), (x + width, top)], roof)
    s.box(x, top, width, height, wall)
    glass = mix(s.on(GLASS), wall, 0.4)
    for row in range(int(height / 72)):
        for bay in range(3):
            is_lit = s.draws.chance(0.4) and s.light.lamp
            colour = mix(s.light.lamp, wall, 0.2) if is_lit and s.light.lamp else glass
            s.box(x + width * (0.14 + 0.28 * bay), top + 20 + row * 72, width * 0.16, 36, colour)


def setting(s: Scene, *, left: float, right: float, is_town: bool) -> None:
    """Draw the sky, background and ground of a house that extends from ``left`` to ``right``."""
    sky(s)
    ridge(s, s.on(FAR_HILLS, far=0.45), y=380, height=46)
    if is_town:
        neighbours(s, left=left, right=right)
        street_ground(s)
        return
    ridge(s, s.on(NEAR_HILLS, far=0.22), y=430, height=30, peaks=3)
    for _ in range(5):
        x = s.draws.pick((s.draws.whole(-10, int(left)), s.draws.whole(int(right), WIDTH + 10)))
        tree(s, x=x, base=BASE - 6, height=s.draws.whole(120, 230), far=0.14)
    meadow_ground(s)


def green_front(s: Scene, *, left: float, right: float) -> None:
    """Draw trees and bushes in front of a house."""
    if s.draws.chance(0.6):
        tree(s, x=left - s.draws.whole(20, 60), base=BASE + 18, height=s.draws.whole(220, 320))
    for _ in range(s.draws.whole(2, 4)):
        bush(s, x=s.draws.whole(int(left), int(right)), base=BASE + 8, size=s.draws.whole(16, 26))


def pots(s: Scene, *, x: float, apart: float) -> None:
    for side in (-1, 1):
        pot(s, x=x + side * apart, base=BASE + 4, size=34)


def flower_row(s: Scene, *, xs: list[float], y: float, width: float, share: float) -> None:
    for x in xs:
        if s.draws.chance(share):
            flowers(s, x=x - 4, y=y, width=width + 8)
