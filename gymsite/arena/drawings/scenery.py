"""Surroundings of houses: streets, squares, hills and towers."""

from __future__ import annotations

import math

from gymsite.arena.drawings.canvas import WIDTH, darker, lighter, parse_hex, parse_palette
from gymsite.arena.drawings.houses import (
    BASE,
    FRAME,
    ROOFS,
    STONE,
    WALLS,
    meadow_ground,
    neighbours,
    street_ground,
    window,
)
from gymsite.arena.drawings.lights import FAR_HILLS, NEAR_HILLS, Scene, mountains, ridge, sky
from gymsite.arena.drawings.plants import GREENS, bush, pot, tree


def street(s: Scene) -> None:
    """Draw a lane that leads away between two rows of houses."""
    sky(s)
    ridge(s, s.on(FAR_HILLS, far=0.4), y=380, height=30)
    end = s.draws.whole(360, 440)
    belfry(s, x=end, base=420, width=34, height=150, far=0.35)
    s.area([(end - 26, 400), (end + 26, 400), (760, 600), (40, 600)], s.on("c9c0b0"))
    for row in range(9):
        part = (row / 9) ** 1.7
        y, half = 404 + 190 * part, 28 + 330 * part
        s.box(end - half, y, 2 * half, 1.5 + 3 * part, darker(s.on("c9c0b0"), 0.1), alpha=150)
    for side in (-1, 1):
        for number in range(4):
            _row_house(s, end=end, side=side, number=3 - number)
    pot(s, x=end - 246, base=584, size=50)
    pot(s, x=end + 262, base=590, size=54)


def _row_house(s: Scene, *, end: float, side: int, number: int) -> None:
    """Draw one house of a row in perspective; number 0 is the nearest."""
    edges = (1.0, 0.62, 0.36, 0.19, 0.08)
    near, far = edges[number], edges[number + 1]
    wall, roof = (s.any_of((WALLS), far=0.08 * number), s.any_of((ROOFS), far=0.08 * number))
    high = s.draws.whole(400, 500)

    def at(depth: float, up: float) -> tuple[float, float]:
        return end + side * (30 + 400 * depth), 404 + 200 * depth - high * up * (0.12 + 0.88 * depth)

    shade = wall if side > 0 else darker(wall, 0.12)
    s.area([at(near, 0), at(near, 1), at(far, 1), at(far, 0)], shade)
    s.area([at(near, 1), at(near, 1.16), at(far, 1.16), at(far, 1)], roof)
    for row in (0.2, 0.46, 0.72):
        for bay in (0.2, 0.62):
            left, right = near + (far - near) * bay, near + (far - near) * (bay + 0.24)
            glass = s.glass(0.5)
            corners = [at(left, row), at(left, row + 0.16), at(right, row + 0.16), at(right, row)]
            s.area(corners, glass)
            s.line([*corners, corners[0]], s.on(FRAME), 1 + 3 * near)
    s.line([at(near, 1), at(far, 1)], darker(roof, 0.2), 1 + 4 * near)


def tower(s: Scene) -> None:
    """Draw a belfry above the roofs."""
    sky(s)
    ridge(s, s.on(FAR_HILLS, far=0.4), y=390, height=40)
    x = s.draws.whole(300, 500)
    side = s.draws.pick((-1, 1))
    nave, roof = s.on(STONE), s.any_of(ROOFS)
    nave_left, nave_right = sorted((x + side * 40, x + side * 320))
    s.box(nave_left, BASE - 150, nave_right - nave_left, 150, nave)
    s.area(
        [
            (nave_left, BASE - 150),
            (nave_left + 30, BASE - 236),
            (nave_right - 30, BASE - 236),
            (nave_right + 14, BASE - 150),
        ],
        roof,
    )
    for bay in range(4):
        left = nave_left + 46 + bay * 58
        window(s, x=left, y=BASE - 122, width=26, height=84, arched=True)
    belfry(s, x=x, base=BASE, width=104, height=290, far=0)
    neighbours(s, left=min(nave_left, x - 60), right=max(nave_right, x + 60))
    street_ground(s)
    for _ in range(2):
        tree(s, x=s.draws.pick((s.draws.whole(20, 200), s.draws.whole(600, 780))), base=BASE + 10, height=190)


def belfry(s: Scene, *, x: float, base: float, width: float, height: float, far: float) -> None:
    wall, roof = s.any_of(((STONE, WALLS[0], WALLS[7])), far=far), s.on(ROOFS[3], far=far)
    s.box(x - width / 2, base - height, width, height, wall)
    s.box(x + width * 0.2, base - height, width * 0.3, height, darker(wall, 0.12))
    s.area(
        [
            (x - width * 0.62, base - height),
            (x, base - height - width * 1.9),
            (x + width * 0.62, base - height),
        ],
        roof,
    )
    s.area(
        [(x, base - height), (x, base - height - width * 1.9), (x + width * 0.62, base - height)],
        darker(roof, 0.16),
    )
    s.box(x - width * 0.6, base - height - 3, width * 1.2, width * 0.12, lighter(wall, 0.2))
    glass = s.light.lamp or darker(wall, 0.6)
    for up in (0.2, 0.52):
        s.box(
            x - width * 0.12,
            base - height + height * up,
            width * 0.24,
            width * 0.5,
            glass,
            round_by=width * 0.12,
        )
    s.disc(x, base - height * 0.9, width * 0.24, s.on(FRAME, far=far))
    s.line([(x, base - height * 0.9), (x, base - height * 0.9 - width * 0.17)], darker(wall, 0.7), 2)
    s.line([(x, base - height * 0.9), (x + width * 0.12, base - height * 0.9)], darker(wall, 0.7), 2)


def market(s: Scene) -> None:
    """Draw stalls under striped awnings in front of a row of gables."""
    sky(s)
    neighbours(s, left=900, right=901)
    street_ground(s)
    for number in range(3):
        x = 50 + 246 * number + s.draws.whole(-12, 12)
        cloth = s.any_of(parse_palette("b9574a 4f7d8c d0a044 6b8f50 8a5d76"))
        heaps = {
            f"heap{heap}": s.any_of(parse_palette("c9534f e3a03b 7b9c5c a56a8a e8d9a0"))
            for heap in range(1, 5)
        }
        s.art("outdoors/stall", x, cloth=cloth, **heaps)


def roofs(s: Scene) -> None:
    """Draw rows of roofs, seen from above."""
    sky(s)
    if s.draws.chance(0.5):
        mountains(s, y=330, height=150, far=0.45)
    ridge(s, s.on(NEAR_HILLS, far=0.4), y=310, height=26)
    for left in (80, 460):
        belfry(s, x=left + s.draws.whole(0, 260), base=380, width=32, height=120, far=0.22)
    for row in range(5):
        size, y, far = 62 + row * 26, 350 + row * 58, 0.3 - row * 0.075
        x = -s.draws.whole(0, 60) * 1.0
        while x < WIDTH:
            wide = size * (0.9 + 0.5 * s.draws.share())
            roof_top(s, x=x, y=y + s.draws.whole(-8, 8), wide=wide, size=size, far=far)
            x += wide * 0.92


def roof_top(s: Scene, *, x: float, y: float, wide: float, size: float, far: float) -> None:
    wall, roof = s.any_of((WALLS), far=far), s.any_of(((*ROOFS, ROOFS[1])), far=far)
    if s.draws.chance(0.5):
        s.area([(x - 4, y + size * 0.55), (x + wide / 2, y), (x + wide + 4, y + size * 0.55)], roof)
        s.area(
            [(x + 3, y + size * 0.56), (x + wide / 2, y + size * 0.1), (x + wide - 3, y + size * 0.56)], wall
        )
        top = y + size * 0.55
    else:
        s.area([(x, y + size * 0.5), (x + 8, y + 6), (x + wide - 8, y + 6), (x + wide, y + size * 0.5)], roof)
        for part in (0.3, 0.55, 0.8):
            s.box(x + 4, y + size * part * 0.5 + 4, wide - 8, 1.4, darker(roof, 0.14))
        if s.draws.chance(0.6):
            s.box(x + wide * 0.65, y - 8, size * 0.12, size * 0.24, darker(roof, 0.25))
        top = y + size * 0.5
    s.box(x, top, wide, size, wall)
    glass = s.glass(0.5, far=far)
    for bay in (0.2, 0.6):
        s.box(x + wide * bay, top + size * 0.16, wide * 0.2, size * 0.34, s.on(FRAME, far=far))
        s.box(x + wide * bay + 2, top + size * 0.16 + 2, wide * 0.2 - 4, size * 0.34 - 4, glass)


def hills(s: Scene) -> None:
    """Draw vineyards in rows, with a house on the slope."""
    sky(s)
    ridge(s, s.on("7d9aa6", far=0.45), y=270, height=60)
    ridge(s, s.on("7f9f86", far=0.25), y=330, height=44)
    slope = s.on("a3b06c")
    x = s.draws.whole(150, 620)
    ridge(s.apart("slope"), slope, y=410, height=34, peaks=1)
    _farm(s, x=x, y=396)
    near, vine = s.on("a59a62"), s.on(GREENS[1])
    s.shape([(0, 600), (0, 470), (240, 410, 520, 520, 800, 440), (800, 600)], near)
    for row in range(-9, 14):
        foot = 400 + row * 92.0
        head = 400 + row * 36.0
        top = 474 - 34 * math.sin(head / WIDTH * math.pi * 2.2 + 0.2)
        s.area(
            [(head - 2, top + 8), (head + 3, top + 8), (foot + 15, 604), (foot - 15, 604)], darker(near, 0.16)
        )
        for step in range(9):
            part = (step / 8) ** 1.6
            x_at, y_at = head + (foot - head) * part, top + 8 + (604 - top) * part
            s.disc(x_at - 2 * part, y_at - 8 * part, 4 + 13 * part, lighter(vine, 0.1 * (step % 2)), flat=0.7)
    tree(s, x=s.draws.whole(640, 760), base=480, height=230)


def _farm(s: Scene, *, x: float, y: float) -> None:
    s.art("outdoors/farm", x, wall=s.any_of(WALLS[:3]))
    for left in (x - 30, x + 150, x + 172):
        tree(s.apart("cypress", int(left)), x=left, base=y + 8, height=96)


def castle(s: Scene) -> None:
    """Draw walls and towers on a rock above the roofs."""
    sky(s)
    ridge(s, s.on(FAR_HILLS, far=0.45), y=380, height=40)
    x = s.draws.whole(250, 370)
    s.art("outdoors/crag", x)
    wall = s.any_of((STONE, parse_hex("cdb691"), parse_hex("bfb6b0")))
    _wall(s, x=x - 40, y=240, width=300, height=72, wall=wall)
    for left, wide, high in ((x - 56, 58, 150), (x + 96, 80, 208), (x + 216, 60, 140)):
        _keep(s, x=left, base=312, width=wide, height=high, wall=wall)
    for _ in range(9):
        bush(s, x=x + s.draws.whole(-200, 420), base=s.draws.whole(380, 470), size=s.draws.whole(18, 32))
    for row in (0, 1):
        at = -20.0 - 40 * row
        while at < WIDTH:
            wide = s.draws.whole(80, 120)
            roof_top(s, x=at, y=452 + 62 * row, wide=wide, size=84, far=0.06)
            at += wide * 0.95


def _wall(s: Scene, *, x: float, y: float, width: float, height: float, wall: tuple[int, int, int]) -> None:
    s.box(x, y, width, height, wall)
    for step in range(int(width / 24)):
        s.box(x + step * 24, y - 12, 14, 13, wall)
    s.box(x, y + height * 0.3, width, 4, darker(wall, 0.12))


def _keep(
    s: Scene, *, x: float, base: float, width: float, height: float,
    wall: tuple[int, int, int],
) -> None:  # fmt: skip
    top = base - height
    s.box(x, top, width, height, lighter(wall, 0.08))
    s.box(x + width * 0.7, top, width * 0.3, height, darker(wall, 0.1))
    s.box(x - 5, top, width + 10, 12, lighter(wall, 0.2))
    if s.draws.chance(0.5):
        roof = s.on(ROOFS[1])
        s.area([(x - 8, top), (x + width / 2, top - width * 1.05), (x + width + 8, top)], roof)
        s.area(
            [(x + width / 2, top), (x + width / 2, top - width * 1.05), (x + width + 8, top)],
            darker(roof, 0.14),
        )
    else:
        for step in range(4):
            s.box(x - 5 + step * (width + 10) / 3.6, top - 12, width * 0.18, 13, lighter(wall, 0.2))
    for up in (0.25, 0.55):
        s.box(x + width * 0.42, top + height * up, 9, 24, s.light.lamp or darker(wall, 0.6), round_by=4)


def park(s: Scene) -> None:
    """Draw a path between old trees, with a bench beside it."""
    sky(s)
    ridge(s, s.on(FAR_HILLS, far=0.4), y=390, height=34)
    for _ in range(9):
        tree(
            s,
            x=s.draws.whole(-10, 810),
            base=s.draws.whole(456, 480),
            height=s.draws.whole(140, 230),
            far=0.2,
        )
    meadow_ground(s)
    path = s.on("dccfb2")
    bend = s.draws.whole(-60, 60)
    s.shape(
        [
            (350 + bend, 476),
            (390 + bend, 476),
            (400, 510, 560, 540, 590, 600),
            (250, 600),
            (330, 550, 380, 520, 350 + bend, 476),
        ],
        path,
    )
    s.art("outdoors/bench", s.draws.whole(120, 190))
    s.art("outdoors/lantern")
    for near in (s.draws.whole(20, 80), s.draws.whole(690, 770)):
        tree(s, x=near, base=566, height=s.draws.whole(330, 420))
    for _ in range(40):
        colour = s.any_of(parse_palette("f1e4da e3b04b d98aa0"))
        at, y = s.draws.whole(0, WIDTH), s.draws.whole(520, 596)
        if abs(at - 420) > 190 * math.sqrt((y - 470) / 130):
            s.disc(at, y, 3, colour)
