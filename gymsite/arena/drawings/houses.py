"""The fronts of houses."""

from __future__ import annotations

from dataclasses import dataclass

from core.draws import Draws
from gymsite.arena.drawings.canvas import WIDTH, Canvas, Colour, darker, hexed, lighter, mix
from gymsite.arena.drawings.lights import Light, ridge, sky
from gymsite.arena.drawings.plants import bush, flowers, pot, tree

WALLS = tuple(
    map(
        hexed,
        ("e2bd84", "cf8465", "efe2c6", "b3bf9f", "9db4c0", "dcaa9b", "f3efe6", "b96f5a", "d9b25f", "c8c0b2"),
    )
)
ROOFS = tuple(map(hexed, ("565f6b", "a2533f", "74523f", "47525a", "8a4a3c")))
PAINTS = tuple(map(hexed, ("2f5d62", "7a3b3b", "3f5a3c", "33425f", "5b4636", "8a6d2f")))
GLASS = hexed("6f95a6")
FRAME = hexed("f6f2e8")
STONE = hexed("d8d0c2")
BASE = 500
"""Where houses meet the ground."""


@dataclass(frozen=True, kw_only=True)
class Paint:
    wall: Colour
    roof: Colour
    wood: Colour


def paint_drawn(draws: Draws) -> Paint:
    return Paint(wall=draws.pick(WALLS), roof=draws.pick(ROOFS), wood=draws.pick(PAINTS))


def window(
    c: Canvas, light: Light, draws: Draws, *, x: float, y: float, width: float, height: float,
    arched: bool = False, shutters: Colour | None = None, bars: int = 1,
) -> None:  # fmt: skip
    """A window whose top left corner is at ``x``, ``y``; lit or not, as it falls out."""
    is_lit = draws.chance(0.62) and light.lamp is not None
    glass = light.lamp if is_lit and light.lamp else light.on(GLASS)
    frame = light.on(FRAME)
    top = width / 2 if arched else 0
    if shutters:
        for left in (x - width * 0.52, x + width * 1.06):
            c.box(left, y, width * 0.46, height, light.on(shutters))
            for slat in range(1, 5):
                c.box(
                    left + 2, y + height * slat / 5, width * 0.46 - 4, 1.4, darker(light.on(shutters), 0.25)
                )
    if arched:
        c.disc(x + width / 2, y + top, width / 2 + 3, frame)
        c.disc(x + width / 2, y + top, width / 2, glass)
    c.box(x - 3, y + top, width + 6, height - top + 3, frame)
    c.box(x, y + top, width, height - top, glass)
    if not is_lit:
        c.area(
            [(x, y + height * 0.75), (x + width * 0.8, y + top), (x + width, y + top), (x, y + height)],
            lighter(glass, 0.5), alpha=70,
        )  # fmt: skip
    for bar in range(1, bars + 1):
        c.box(x + width * bar / (bars + 1) - 1.2, y + top * 0.2, 2.4, height - top * 0.2, frame)
    c.box(x, y + max(height * 0.36, top), width, 2.4, frame)
    c.box(x - 6, y + height + 2, width + 12, 4, darker(light.on(STONE), 0.08))


def door(
    c: Canvas, light: Light, *, x: float, base: float, width: float, height: float, colour: Colour,
    arched: bool = False,
) -> None:  # fmt: skip
    wood, stone = light.on(colour), light.on(STONE)
    if arched:
        c.disc(x + width / 2, base - height, width / 2 + 6, stone)
        c.disc(x + width / 2, base - height, width / 2, light.lamp or light.on(GLASS))
    else:
        c.box(x, base - height - 20, width, 20, light.lamp or light.on(GLASS))
    c.box(x - 6, base - height, width + 12, height, stone)
    c.box(x, base - height, width, height, wood)
    for side in (0.12, 0.56):
        for up in (0.12, 0.56):
            c.box(
                x + width * side, base - height * (up + 0.34), width * 0.32, height * 0.34, lighter(wood, 0.1)
            )
    c.disc(x + width * 0.5, base - height * 0.46, 2.6, light.on(hexed("d9b25f")))
    for step in range(2):
        c.box(x - 10 - 8 * step, base - 6 + 6 * step, width + 20 + 16 * step, 7, darker(stone, 0.06 * step))
    if light.lamp:
        c.glow(x + width * 1.25, base - height * 0.9, 40, light.lamp, alpha=70)
    c.box(
        x + width * 1.25 - 4, base - height * 0.95, 8, 13, light.lamp or light.on(hexed("39414a")), round_by=2
    )


def roof_gable(c: Canvas, colour: Colour, *, x: float, y: float, width: float, height: float) -> None:
    """A gable seen from its front."""
    c.area([(x - 18, y + 8), (x + width / 2, y - height - 8), (x + width + 18, y + 8)], colour)


def roof_wide(
    c: Canvas, colour: Colour, *, x: float, y: float, width: float, height: float, hip: float = 0.1
) -> None:
    """A roof seen from its long side, in rows of tiles."""
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


def chimney(c: Canvas, light: Light, *, x: float, top: float, height: float) -> None:
    brick = light.on(hexed("a06552"))
    c.box(x, top, 26, height, brick)
    c.box(x + 16, top, 10, height, darker(brick, 0.16))
    c.box(x - 4, top - 6, 34, 9, darker(brick, 0.1))


def street_ground(c: Canvas, light: Light) -> None:
    c.fade(BASE, 600, light.on(hexed("cfc8ba")), light.on(hexed("b4ac9d")))
    c.box(0, BASE, WIDTH, 12, light.on(hexed("dcd6ca")))
    c.box(0, BASE + 12, WIDTH, 4, darker(light.on(hexed("b4ac9d")), 0.15))
    for y, step in ((536, 90), (566, 130)):
        for x in range(-40, WIDTH, step):
            c.box(
                x + (y % 37), y, step * 0.5, 3, darker(light.on(hexed("b4ac9d")), 0.08), round_by=2, alpha=120
            )


def meadow_ground(c: Canvas, light: Light, draws: Draws) -> None:
    grass = light.on(hexed("8fae6e"))
    ridge(c, darker(grass, 0.06), draws, y=BASE - 24, height=12)
    c.fade(BASE, 600, grass, darker(grass, 0.16))
    for _ in range(30):
        x, y = draws.whole(0, WIDTH), draws.whole(BASE + 12, 596)
        c.line([(x, y), (x + 2, y - 8)], lighter(grass, 0.14), 2)


def neighbours(c: Canvas, light: Light, draws: Draws, *, left: float, right: float) -> None:
    """Paler houses on both sides of what stands between ``left`` and ``right``."""
    x = -30.0
    while x < WIDTH:
        width, height = draws.whole(110, 170), draws.whole(170, 290)
        if x + width < left + 60 or x > right - 60:
            _neighbour(c, light, draws, x=x, width=width, height=height)
        x += width


def _neighbour(c: Canvas, light: Light, draws: Draws, *, x: float, width: float, height: float) -> None:
    wall = mix(light.on(draws.pick(WALLS)), light.horizon, 0.34)
    roof = mix(light.on(draws.pick(ROOFS)), light.horizon, 0.34)
    top = BASE - height
    if draws.chance(0.5):
        c.area([(x, top), (x + width / 2, top - 64), (x + width, top)], roof)
    else:
        c.area([(x, top), (x + 14, top - 46), (x + width - 14, top - 46), (x + width, top)], roof)
    c.box(x, top, width, height, wall)
    glass = mix(light.on(GLASS), wall, 0.4)
    for row in range(int(height / 72)):
        for bay in range(3):
            is_lit = draws.chance(0.4) and light.lamp is not None
            colour = mix(light.lamp, wall, 0.2) if is_lit and light.lamp else glass
            c.box(x + width * (0.14 + 0.28 * bay), top + 20 + row * 72, width * 0.16, 36, colour)


def setting(c: Canvas, light: Light, draws: Draws, *, left: float, right: float, is_town: bool) -> None:
    """Sky, background and ground of a house between ``left`` and ``right``."""
    sky(c, light, draws)
    ridge(c, light.on(hexed("8fb0a6"), far=0.45), draws, y=380, height=46)
    if is_town:
        neighbours(c, light, draws, left=left, right=right)
        street_ground(c, light)
        return
    ridge(c, light.on(hexed("86a67c"), far=0.22), draws, y=430, height=30, peaks=3)
    for _ in range(5):
        x = draws.pick((draws.whole(-10, int(left)), draws.whole(int(right), WIDTH + 10)))
        tree(c, light, draws, x=x, base=BASE - 6, height=draws.whole(120, 230), far=0.14)
    meadow_ground(c, light, draws)


def green_front(c: Canvas, light: Light, draws: Draws, *, left: float, right: float) -> None:
    """What grows before a house."""
    if draws.chance(0.6):
        tree(c, light, draws, x=left - draws.whole(20, 60), base=BASE + 18, height=draws.whole(220, 320))
    for _ in range(draws.whole(2, 4)):
        bush(c, light, draws, x=draws.whole(int(left), int(right)), base=BASE + 8, size=draws.whole(16, 26))


def pots(c: Canvas, light: Light, draws: Draws, *, x: float, apart: float) -> None:
    for side in (-1, 1):
        pot(c, light, draws, x=x + side * apart, base=BASE + 4, size=34)


def flower_row(
    c: Canvas, light: Light, draws: Draws, *, xs: list[float], y: float, width: float, share: float
) -> None:
    for x in xs:
        if draws.chance(share):
            flowers(c, light, draws, x=x - 4, y=y, width=width + 8)
