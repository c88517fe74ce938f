"""What lies around the houses: streets, squares, hills and towers."""

from __future__ import annotations

import math

from core.draws import Draws
from gymsite.arena.drawings.canvas import WIDTH, Canvas, darker, hexed, lighter
from gymsite.arena.drawings.houses import (
    BASE,
    FRAME,
    GLASS,
    ROOFS,
    STONE,
    WALLS,
    meadow_ground,
    neighbours,
    street_ground,
    window,
)
from gymsite.arena.drawings.lights import Light, mountains, ridge, sky
from gymsite.arena.drawings.plants import GREENS, bush, pot, tree


def street(c: Canvas, light: Light, draws: Draws) -> None:
    """A lane that leads away between two rows of houses."""
    sky(c, light, draws)
    ridge(c, light.on(hexed("8fb0a6"), far=0.4), draws, y=380, height=30)
    end = draws.whole(360, 440)
    belfry(c, light, draws, x=end, base=420, width=34, height=150, far=0.35)
    c.area([(end - 26, 400), (end + 26, 400), (760, 600), (40, 600)], light.on(hexed("c9c0b0")))
    for row in range(9):
        part = (row / 9) ** 1.7
        y, half = 404 + 190 * part, 28 + 330 * part
        c.box(end - half, y, 2 * half, 1.5 + 3 * part, darker(light.on(hexed("c9c0b0")), 0.1), alpha=150)
    for side in (-1, 1):
        for number in range(4):
            _row_house(c, light, draws, end=end, side=side, number=3 - number)
    pot(c, light, draws, x=end - 246, base=584, size=50)
    pot(c, light, draws, x=end + 262, base=590, size=54)


def _row_house(c: Canvas, light: Light, draws: Draws, *, end: float, side: int, number: int) -> None:
    """One house of a row in perspective; number 0 is the nearest."""
    edges = (1.0, 0.62, 0.36, 0.19, 0.08)
    near, far = edges[number], edges[number + 1]
    wall, roof = (
        light.on(draws.pick(WALLS), far=0.08 * number),
        light.on(draws.pick(ROOFS), far=0.08 * number),
    )
    high = draws.whole(400, 500)

    def at(depth: float, up: float) -> tuple[float, float]:
        return end + side * (30 + 400 * depth), 404 + 200 * depth - high * up * (0.12 + 0.88 * depth)

    shade = wall if side > 0 else darker(wall, 0.12)
    c.area([at(near, 0), at(near, 1), at(far, 1), at(far, 0)], shade)
    c.area([at(near, 1), at(near, 1.16), at(far, 1.16), at(far, 1)], roof)
    for row in (0.2, 0.46, 0.72):
        for bay in (0.2, 0.62):
            one, two = near + (far - near) * bay, near + (far - near) * (bay + 0.24)
            is_lit = draws.chance(0.5) and light.lamp is not None
            glass = light.lamp if is_lit and light.lamp else light.on(GLASS)
            corners = [at(one, row), at(one, row + 0.16), at(two, row + 0.16), at(two, row)]
            c.area(corners, glass)
            c.line([*corners, corners[0]], light.on(FRAME), 1 + 3 * near)
    c.line([at(near, 1), at(far, 1)], darker(roof, 0.2), 1 + 4 * near)


def tower(c: Canvas, light: Light, draws: Draws) -> None:
    """A belfry above the roofs."""
    sky(c, light, draws)
    ridge(c, light.on(hexed("8fb0a6"), far=0.4), draws, y=390, height=40)
    x = draws.whole(300, 500)
    side = draws.pick((-1, 1))
    nave, roof = light.on(STONE), light.on(draws.pick(ROOFS))
    one, two = sorted((x + side * 40, x + side * 320))
    c.box(one, BASE - 150, two - one, 150, nave)
    c.area([(one, BASE - 150), (one + 30, BASE - 236), (two - 30, BASE - 236), (two + 14, BASE - 150)], roof)
    for bay in range(4):
        left = one + 46 + bay * 58
        window(c, light, draws, x=left, y=BASE - 122, width=26, height=84, arched=True)
    belfry(c, light, draws, x=x, base=BASE, width=104, height=290, far=0)
    neighbours(c, light, draws, left=min(one, x - 60), right=max(two, x + 60))
    street_ground(c, light)
    for _ in range(2):
        tree(
            c,
            light,
            draws,
            x=draws.pick((draws.whole(20, 200), draws.whole(600, 780))),
            base=BASE + 10,
            height=190,
        )


def belfry(
    c: Canvas, light: Light, draws: Draws, *, x: float, base: float, width: float, height: float, far: float
) -> None:
    wall, roof = light.on(draws.pick((STONE, WALLS[0], WALLS[7])), far=far), light.on(ROOFS[3], far=far)
    c.box(x - width / 2, base - height, width, height, wall)
    c.box(x + width * 0.2, base - height, width * 0.3, height, darker(wall, 0.12))
    c.area(
        [
            (x - width * 0.62, base - height),
            (x, base - height - width * 1.9),
            (x + width * 0.62, base - height),
        ],
        roof,
    )
    c.area(
        [(x, base - height), (x, base - height - width * 1.9), (x + width * 0.62, base - height)],
        darker(roof, 0.16),
    )
    c.box(x - width * 0.6, base - height - 3, width * 1.2, width * 0.12, lighter(wall, 0.2))
    glass = light.lamp or darker(wall, 0.6)
    for up in (0.2, 0.52):
        c.box(
            x - width * 0.12,
            base - height + height * up,
            width * 0.24,
            width * 0.5,
            glass,
            round_by=width * 0.12,
        )
    c.disc(x, base - height * 0.9, width * 0.24, light.on(FRAME, far=far))
    c.line([(x, base - height * 0.9), (x, base - height * 0.9 - width * 0.17)], darker(wall, 0.7), 2)
    c.line([(x, base - height * 0.9), (x + width * 0.12, base - height * 0.9)], darker(wall, 0.7), 2)


def market(c: Canvas, light: Light, draws: Draws) -> None:
    """Stalls under striped cloth before a row of gables."""
    sky(c, light, draws)
    neighbours(c, light, draws, left=900, right=901)
    street_ground(c, light)
    for number in range(3):
        x = 50 + 246 * number + draws.whole(-12, 12)
        cloth = light.on(draws.pick(tuple(map(hexed, ("b9574a", "4f7d8c", "d0a044", "6b8f50", "8a5d76")))))
        wood = light.on(hexed("8a684c"))
        for post in (x + 8, x + 186):
            c.box(post, 408, 7, 140, wood)
        for strip in range(8):
            shade = cloth if strip % 2 else light.on(FRAME)
            one, two = x + 200 * strip / 8, x + 200 * (strip + 1) / 8
            c.area(
                [
                    (one * 0.9 + (x + 100) * 0.1, 372),
                    (two * 0.9 + (x + 100) * 0.1, 372),
                    (two, 414),
                    (one, 414),
                ],
                shade,
            )
            c.disc((one + two) / 2, 414, 12.5, shade, flat=0.7)
        c.box(x + 2, 494, 198, 56, wood)
        c.box(x + 2, 494, 198, 8, lighter(wood, 0.2))
        for heap in range(4):
            colour = light.on(
                draws.pick(tuple(map(hexed, ("c9534f", "e3a03b", "7b9c5c", "a56a8a", "e8d9a0"))))
            )
            for fruit in range(5):
                c.disc(x + 26 + heap * 48 + (fruit % 3 - 1) * 13, 490 - (fruit // 3) * 10, 8, colour)
        if light.lamp:
            c.glow(x + 100, 436, 46, light.lamp, alpha=80)
            c.disc(x + 100, 432, 7, light.lamp)


def roofs(c: Canvas, light: Light, draws: Draws) -> None:
    """Roofs behind roofs, seen from above."""
    sky(c, light, draws)
    if draws.chance(0.5):
        mountains(c, light, draws, y=330, height=150, far=0.45)
    ridge(c, light.on(hexed("86a67c"), far=0.4), draws, y=310, height=26)
    for left in (80, 460):
        belfry(c, light, draws, x=left + draws.whole(0, 260), base=380, width=32, height=120, far=0.22)
    for row in range(5):
        size, y, far = 62 + row * 26, 350 + row * 58, 0.3 - row * 0.075
        x = -draws.whole(0, 60) * 1.0
        while x < WIDTH:
            wide = size * (0.9 + 0.5 * draws.share())
            roof_top(c, light, draws, x=x, y=y + draws.whole(-8, 8), wide=wide, size=size, far=far)
            x += wide * 0.92


def roof_top(
    c: Canvas, light: Light, draws: Draws, *, x: float, y: float, wide: float, size: float, far: float
) -> None:
    wall, roof = light.on(draws.pick(WALLS), far=far), light.on(draws.pick((*ROOFS, ROOFS[1])), far=far)
    if draws.chance(0.5):
        c.area([(x - 4, y + size * 0.55), (x + wide / 2, y), (x + wide + 4, y + size * 0.55)], roof)
        c.area(
            [(x + 3, y + size * 0.56), (x + wide / 2, y + size * 0.1), (x + wide - 3, y + size * 0.56)], wall
        )
        top = y + size * 0.55
    else:
        c.area([(x, y + size * 0.5), (x + 8, y + 6), (x + wide - 8, y + 6), (x + wide, y + size * 0.5)], roof)
        for part in (0.3, 0.55, 0.8):
            c.box(x + 4, y + size * part * 0.5 + 4, wide - 8, 1.4, darker(roof, 0.14))
        if draws.chance(0.6):
            c.box(x + wide * 0.65, y - 8, size * 0.12, size * 0.24, darker(roof, 0.25))
        top = y + size * 0.5
    c.box(x, top, wide, size, wall)
    is_lit = draws.chance(0.5) and light.lamp is not None
    glass = light.lamp if is_lit and light.lamp else light.on(GLASS, far=far)
    for bay in (0.2, 0.6):
        c.box(x + wide * bay, top + size * 0.16, wide * 0.2, size * 0.34, light.on(FRAME, far=far))
        c.box(x + wide * bay + 2, top + size * 0.16 + 2, wide * 0.2 - 4, size * 0.34 - 4, glass)


def hills(c: Canvas, light: Light, draws: Draws) -> None:
    """Vineyards in rows, a house on the slope."""
    sky(c, light, draws)
    ridge(c, light.on(hexed("7d9aa6"), far=0.45), draws, y=270, height=60)
    ridge(c, light.on(hexed("7f9f86"), far=0.25), draws, y=330, height=44)
    slope = light.on(hexed("a3b06c"))
    x = draws.whole(150, 620)
    ridge(c, slope, draws.at("slope"), y=410, height=34, peaks=1)
    _farm(c, light, draws, x=x, y=396)
    near, vine = light.on(hexed("a59a62")), light.on(GREENS[1])
    c.shape([(0, 600), (0, 470), (240, 410, 520, 520, 800, 440), (800, 600)], near)
    for row in range(-9, 14):
        foot = 400 + row * 92.0
        head = 400 + row * 36.0
        top = 474 - 34 * math.sin(head / WIDTH * math.pi * 2.2 + 0.2)
        c.area(
            [(head - 2, top + 8), (head + 3, top + 8), (foot + 15, 604), (foot - 15, 604)], darker(near, 0.16)
        )
        for step in range(9):
            part = (step / 8) ** 1.6
            x_at, y_at = head + (foot - head) * part, top + 8 + (604 - top) * part
            c.disc(x_at - 2 * part, y_at - 8 * part, 4 + 13 * part, lighter(vine, 0.1 * (step % 2)), flat=0.7)
    tree(c, light, draws, x=draws.whole(640, 760), base=480, height=230)


def _farm(c: Canvas, light: Light, draws: Draws, *, x: float, y: float) -> None:
    wall, roof = light.on(draws.pick(WALLS[:3])), light.on(ROOFS[1])
    c.box(x, y - 52, 96, 60, wall)
    c.area([(x - 8, y - 50), (x + 12, y - 84), (x + 84, y - 84), (x + 104, y - 50)], roof)
    c.box(x + 96, y - 84, 34, 92, darker(wall, 0.08))
    c.area([(x + 92, y - 82), (x + 113, y - 110), (x + 134, y - 82)], roof)
    for left in (x + 14, x + 42, x + 70):
        c.box(left, y - 38, 13, 20, light.lamp or light.on(GLASS))
    for left in (x - 30, x + 150, x + 172):
        tree(c, light, draws.at("cypress", int(left)), x=left, base=y + 8, height=96)


def castle(c: Canvas, light: Light, draws: Draws) -> None:
    """Walls and towers on a rock above the roofs."""
    sky(c, light, draws)
    ridge(c, light.on(hexed("8fb0a6"), far=0.45), draws, y=380, height=40)
    x = draws.whole(250, 370)
    rock = light.on(hexed("7f9873"))
    c.shape(
        [
            (x - 290, 540),
            (x - 150, 380, x - 140, 316, x - 40, 306),
            (x + 260, 300),
            (x + 360, 316, x + 400, 430, x + 540, 540),
        ],
        rock,
    )
    c.shape(
        [(x + 120, 302), (x + 260, 300), (x + 360, 316, x + 400, 430, x + 540, 540), (x + 240, 540)],
        darker(rock, 0.14),
    )
    wall = light.on(draws.pick((STONE, hexed("cdb691"), hexed("bfb6b0"))))
    _wall(c, light, x=x - 40, y=240, width=300, height=72, wall=wall)
    for left, wide, high in ((x - 56, 58, 150), (x + 96, 80, 208), (x + 216, 60, 140)):
        _keep(c, light, draws, x=left, base=312, width=wide, height=high, wall=wall)
    for _ in range(9):
        bush(
            c,
            light,
            draws,
            x=x + draws.whole(-200, 420),
            base=draws.whole(380, 470),
            size=draws.whole(18, 32),
        )
    for row in (0, 1):
        at = -20.0 - 40 * row
        while at < WIDTH:
            wide = draws.whole(80, 120)
            roof_top(c, light, draws, x=at, y=452 + 62 * row, wide=wide, size=84, far=0.06)
            at += wide * 0.95


def _wall(
    c: Canvas, light: Light, *, x: float, y: float, width: float, height: float, wall: tuple[int, int, int]
) -> None:
    c.box(x, y, width, height, wall)
    for step in range(int(width / 24)):
        c.box(x + step * 24, y - 12, 14, 13, wall)
    c.box(x, y + height * 0.3, width, 4, darker(wall, 0.12))


def _keep(
    c: Canvas, light: Light, draws: Draws, *, x: float, base: float, width: float, height: float,
    wall: tuple[int, int, int],
) -> None:  # fmt: skip
    top = base - height
    c.box(x, top, width, height, lighter(wall, 0.08))
    c.box(x + width * 0.7, top, width * 0.3, height, darker(wall, 0.1))
    c.box(x - 5, top, width + 10, 12, lighter(wall, 0.2))
    if draws.chance(0.5):
        roof = light.on(ROOFS[1])
        c.area([(x - 8, top), (x + width / 2, top - width * 1.05), (x + width + 8, top)], roof)
        c.area(
            [(x + width / 2, top), (x + width / 2, top - width * 1.05), (x + width + 8, top)],
            darker(roof, 0.14),
        )
    else:
        for step in range(4):
            c.box(x - 5 + step * (width + 10) / 3.6, top - 12, width * 0.18, 13, lighter(wall, 0.2))
    for up in (0.25, 0.55):
        c.box(x + width * 0.42, top + height * up, 9, 24, light.lamp or darker(wall, 0.6), round_by=4)


def park(c: Canvas, light: Light, draws: Draws) -> None:
    """A path between old trees, a bench beside it."""
    sky(c, light, draws)
    ridge(c, light.on(hexed("8fb0a6"), far=0.4), draws, y=390, height=34)
    for _ in range(9):
        tree(
            c,
            light,
            draws,
            x=draws.whole(-10, 810),
            base=draws.whole(456, 480),
            height=draws.whole(140, 230),
            far=0.2,
        )
    meadow_ground(c, light, draws)
    path = light.on(hexed("dccfb2"))
    bend = draws.whole(-60, 60)
    c.shape(
        [
            (350 + bend, 476),
            (390 + bend, 476),
            (400, 510, 560, 540, 590, 600),
            (250, 600),
            (330, 550, 380, 520, 350 + bend, 476),
        ],
        path,
    )
    _bench(c, light, x=draws.whole(120, 190))
    for near in (draws.whole(20, 80), draws.whole(690, 770)):
        tree(c, light, draws, x=near, base=566, height=draws.whole(330, 420))
    for _ in range(40):
        colour = light.on(draws.pick(tuple(map(hexed, ("f1e4da", "e3b04b", "d98aa0")))))
        at, y = draws.whole(0, WIDTH), draws.whole(520, 596)
        if abs(at - 420) > 190 * math.sqrt((y - 470) / 130):
            c.disc(at, y, 3, colour)


def _bench(c: Canvas, light: Light, *, x: float) -> None:
    """A bench, and a lantern farther on."""
    wood = light.on(hexed("8f6a4c"))
    for y in (502, 513, 528):
        c.box(x, y, 118, 7, wood, round_by=3)
    for left in (x + 10, x + 100):
        c.box(left, 500, 6, 52, light.on(hexed("39414a")))
    c.box(596, 410, 5, 142, light.on(hexed("39414a")))
    if light.lamp:
        c.glow(598, 402, 56, light.lamp, alpha=90)
    c.disc(598, 402, 11, light.lamp or light.on(FRAME))
