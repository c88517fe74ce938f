"""Rooms: beds, chairs, a table at the window, stairs. Nothing that a list of amenities could name."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from core.draws import Draws
from gymsite.arena.drawings.canvas import WIDTH, Canvas, Colour, darker, hexed, lighter, mix
from gymsite.arena.drawings.houses import FRAME
from gymsite.arena.drawings.lights import LIGHTS, Light
from gymsite.arena.drawings.plants import GREENS

FLOOR = 456
PAPERS = tuple(map(hexed, ("e6dccb", "c9d3c4", "bfcdd4", "e3cfc4", "d8cfdc", "dfd3a9", "b9c4b0", "d9c3ae")))
WOODS = tuple(map(hexed, ("9a7452", "7a5a46", "b38a62", "5f4a3e", "c09a72")))
CLOTHS = tuple(map(hexed, ("c8694f", "4f7a86", "6f8a62", "d2a24c", "8a6583", "40597a", "b5828c")))
LINEN = hexed("f7f3ea")
BRASS = hexed("c79a4b")
STEPS = 9
STEP = (62, 46)
FOOT = (250, 570)
"""Of the stairs: how many, how wide and high, and where they begin."""


def indoors(light: Light) -> Light:
    """In the evening a room is lit by its lamps, whatever is outside."""
    return replace(light, tint=hexed("6b3f33"), share=0.3) if light.lamp else light


def room(c: Canvas, light: Light, draws: Draws) -> None:
    """Wall, skirting and floor."""
    wall, floor = light.on(draws.pick(PAPERS)), light.on(draws.pick(WOODS))
    c.fade(0, FLOOR, lighter(wall, 0.06), wall)
    if draws.chance(0.4):
        panel = darker(wall, 0.1)
        c.box(0, FLOOR - 120, WIDTH, 120, panel)
        c.box(0, FLOOR - 124, WIDTH, 6, lighter(wall, 0.25))
        for x in range(20, WIDTH, 110):
            c.box(x, FLOOR - 100, 88, 74, lighter(panel, 0.06))
    elif draws.chance(0.5):
        for x in range(0, WIDTH, 44):
            c.box(x, 0, 18, FLOOR, darker(wall, 0.035))
    c.fade(FLOOR, 600, floor, darker(floor, 0.14))
    for row, y in enumerate((FLOOR + 22, FLOOR + 54, FLOOR + 96)):
        c.box(0, y, WIDTH, 2, darker(floor, 0.16))
        for x in range((row * 97) % 160 - 60, WIDTH, 190 + 30 * row):
            c.box(x, y, 2, 22 + 12 * row, darker(floor, 0.16))
    c.box(0, FLOOR - 14, WIDTH, 16, light.on(FRAME))


def pane(c: Canvas, light: Light, draws: Draws, *, x: float, y: float, width: float, height: float) -> None:
    """A window seen from inside: sky, a hill, light curtains; in the morning its light on the floor."""
    frame, cloth = (
        light.on(FRAME),
        lighter(light.on(draws.pick((LINEN, *CLOTHS))), 0.15 if light.lamp else 0.42),
    )
    c.box(x - 10, y - 10, width + 20, height + 20, frame)
    steps = 14
    for step in range(steps):
        shade = mix(light.zenith, light.horizon, step / steps)
        c.box(x, y + height * step / steps, width, height / steps + 1, shade)
    hill = light.on(GREENS[1], far=0.25)
    bend = draws.whole(-16, 16)
    c.shape([(x, y + height), (x, y + height * 0.74 + bend * 0.4),
             (x + width * 0.3, y + height * 0.6 + bend, x + width * 0.7, y + height * 0.9,
              x + width, y + height * 0.7),
             (x + width, y + height)], hill)  # fmt: skip
    c.box(x + width / 2 - 4, y, 8, height, frame)
    c.box(x, y + height * 0.4, width, 6, frame)
    c.box(x - 20, y + height + 8, width + 40, 12, darker(frame, 0.06))
    for left, right in ((x - 26, x + width * 0.16), (x + width * 0.84, x + width + 26)):
        wide = right - left
        c.box(left, y - 24, wide, height + 62, cloth, alpha=235)
        for fold in (0.3, 0.65):
            c.box(left + wide * fold, y - 24, 4, height + 62, darker(cloth, 0.1))
    c.line([(x - 40, y - 26), (x + width + 40, y - 26)], light.on(WOODS[3]), 7)
    if light is LIGHTS["morning"]:
        c.area(
            [(x, FLOOR + 20), (x + width, FLOOR + 20), (x + width + 130, 600), (x + 70, 600)],
            light.sun,
            alpha=60,
        )


def lamp(c: Canvas, light: Light, draws: Draws, *, x: float, base: float, height: float) -> None:
    """A lamp with a shade, lit in the evening."""
    shade = light.lamp or light.on(draws.at("shade").pick((LINEN, *CLOTHS[2:5])))
    if light.lamp:
        c.glow(x, base - height * 0.86, height * 0.72 if height < 120 else 150, light.lamp, alpha=64)
    c.box(x - 2.5, base - height, 5, height, light.on(BRASS))
    c.box(x - 16, base - 6, 32, 6, light.on(BRASS), round_by=3)
    half = min(height * 0.3, 46)
    top = base - height
    c.area([(x - half * 0.55, top - half * 0.6), (x + half * 0.55, top - half * 0.6),
            (x + half, top + half * 0.62), (x - half, top + half * 0.62)], shade)  # fmt: skip


def framed(c: Canvas, light: Light, draws: Draws, *, x: float, y: float, width: float, height: float) -> None:
    """A picture on the wall: hills under a sun."""
    one, two = light.on(draws.pick(CLOTHS)), light.on(draws.pick(PAPERS))
    c.box(x, y, width, height, light.on(draws.pick((WOODS[3], BRASS, FRAME))))
    c.box(x + 6, y + 6, width - 12, height - 12, light.on(LINEN))
    left, top, wide, high = x + 14, y + 14, width - 28, height - 28
    c.box(left, top, wide, high, two)
    c.disc(
        left + wide * (0.3 + 0.4 * draws.share()),
        top + high * 0.36,
        min(wide, high) * 0.15,
        lighter(one, 0.4),
    )
    c.shape([(left, top + high), (left, top + high * 0.7),
             (left + wide * 0.3, top + high * 0.4, left + wide * 0.6, top + high,
              left + wide, top + high * 0.6),
             (left + wide, top + high)], one)  # fmt: skip


def rug(c: Canvas, light: Light, draws: Draws, *, x: float, y: float, across: float) -> None:
    cloth = light.on(draws.pick(CLOTHS))
    c.disc(x, y, across, darker(cloth, 0.1), flat=0.2)
    c.disc(x, y, across * 0.9, lighter(cloth, 0.3), flat=0.2)
    c.disc(x, y, across * 0.8, cloth, flat=0.2)


def bedroom(c: Canvas, light: Light, draws: Draws, *, beds: str) -> None:
    light = indoors(light)
    room(c, light, draws)
    is_left = draws.chance(0.5)
    pane(c, light, draws, x=70 if is_left else 560, y=110, width=170, height=200)
    cloth, wood = light.on(draws.pick(CLOTHS)), light.on(draws.pick(WOODS))
    rug(c, light, draws, x=430 if is_left else 370, y=560, across=300)
    middle = 505 if is_left else 295
    framed(c, light, draws, x=middle - 60, y=92, width=120, height=92)
    if beds == "bunk":
        _bunk(c, light, x=middle - 170, cloth=cloth, wood=wood)
        return
    places = {"single": ((middle - 85, 170),), "double": ((middle - 140, 280),),
              "twin": ((middle - 190, 160), (middle + 30, 160))}[beds]  # fmt: skip
    for x, width in places:
        _bed(c, light, x=x, width=width, cloth=cloth, wood=wood, pillows=2 if beds == "double" else 1)
    table = middle - 25 if beds == "twin" else (middle + 170 if beds == "double" else middle + 112)
    if table > 720:
        table = middle - 222
    c.box(table, 400, 50, 76, wood)
    c.box(table - 4, 396, 58, 8, lighter(wood, 0.12))
    c.box(table + 6, 418, 38, 20, darker(wood, 0.12))
    lamp(c, light, draws, x=table + 25, base=396, height=64)


def _bed(
    c: Canvas, light: Light, *, x: float, width: float, cloth: Colour, wood: Colour, pillows: int
) -> None:
    """Seen from its foot."""
    linen = light.on(LINEN)
    c.shadow(x + width / 2, 566, width * 0.56, flat=0.08)
    c.box(x - 8, 284, width + 16, 200, wood, round_by=22)
    c.box(x + 6, 300, width - 12, 160, darker(wood, 0.1), round_by=14)
    wide = (width - 24) / pillows
    for number in range(pillows):
        left = x + 12 + wide * number
        c.box(left + 4, 344, wide - 8, 62, darker(linen, 0.07), round_by=22)
        c.box(left + 4, 338, wide - 8, 60, linen, round_by=22)
    c.box(x, 386, width, 170, linen, round_by=12)
    c.box(x - 6, 424, width + 12, 136, cloth, round_by=16)
    c.box(x - 6, 424, width + 12, 30, lighter(cloth, 0.35), round_by=12)
    for fold in (0.28, 0.7):
        c.curve(
            [
                (x + width * fold, 458),
                (x + width * fold + 10, 490, x + width * fold - 8, 520, x + width * fold + 4, 556),
            ],
            darker(cloth, 0.14),
            4,
        )
    for leg in (x + 4, x + width - 16):
        c.box(leg, 556, 12, 16, darker(wood, 0.3))


def _bunk(c: Canvas, light: Light, *, x: float, cloth: Colour, wood: Colour) -> None:
    """Two beds, one above the other, from the side."""
    linen = light.on(LINEN)
    c.shadow(x + 170, 568, 200, flat=0.07)
    for y in (250, 428):
        c.box(x + 8, y, 324, 46, linen, round_by=12)
        c.box(x + 92, y - 10, 242, 54, cloth, round_by=14)
        c.box(x + 92, y - 10, 34, 54, lighter(cloth, 0.35), round_by=10)
        c.box(x + 18, y - 26, 70, 36, linen, round_by=16)
        c.box(x, y + 40, 340, 26, wood)
        c.box(x, y + 40, 340, 5, lighter(wood, 0.2))
    for post in (x - 6, x + 328):
        c.box(post, 196, 18, 376, wood, round_by=4)
        c.box(post + 12, 200, 6, 368, darker(wood, 0.15))
    c.box(x + 130, 214, 200, 10, wood)
    for rail in (x + 242, x + 296):
        c.box(rail, 220, 8, 346, darker(wood, 0.2))
    for step in range(6):
        c.box(x + 244, 300 + step * 46, 58, 8, lighter(wood, 0.1))


def lounge(c: Canvas, light: Light, draws: Draws) -> None:
    """An armchair or two, a shelf of books, a standing lamp."""
    light = indoors(light)
    room(c, light, draws)
    is_left = draws.chance(0.5)
    shelf, seat = (60, 520) if is_left else (540, 280)
    pane(c, light, draws, x=seat - 70, y=96, width=150, height=190)
    _shelf(c, light, draws, x=shelf, y=120)
    rug(c, light, draws, x=seat, y=556, across=250)
    cloth = light.on(draws.pick(CLOTHS))
    if draws.chance(0.5):
        _armchair(c, light, x=seat - 150, width=150, cloth=cloth)
        _armchair(c, light, x=seat + 20, width=150, cloth=cloth)
    else:
        _armchair(c, light, x=seat - 170, width=330, cloth=cloth)
        pillow = light.on(draws.pick(CLOTHS))
        for left in (seat - 132, seat + 66):
            c.area([(left, 432), (left + 30, 402), (left + 62, 430), (left + 32, 462)], pillow)
    lamp(c, light, draws, x=seat - 212 if not is_left else seat + 214, base=520, height=270)
    wood = light.on(WOODS[0])
    c.disc(seat - 4, 548, 62, darker(wood, 0.1), flat=0.24)
    c.disc(seat - 4, 542, 62, lighter(wood, 0.1), flat=0.24)
    c.box(seat - 10, 546, 12, 40, darker(wood, 0.2))
    c.box(seat - 30, 528, 48, 8, light.on(CLOTHS[5]), round_by=2)
    c.box(seat - 26, 520, 44, 8, light.on(CLOTHS[3]), round_by=2)


def _armchair(c: Canvas, light: Light, *, x: float, width: float, cloth: Colour) -> None:
    c.shadow(x + width / 2, 540, width * 0.6, flat=0.09)
    for leg in (x + 12, x + width - 24):
        c.box(leg, 516, 11, 26, light.on(WOODS[3]))
    c.box(x + 4, 360, width - 8, 140, darker(cloth, 0.08), round_by=36)
    seats = 2 if width > 200 else 1
    wide = (width - 52) / seats
    for number in range(seats):
        c.box(x + 26 + wide * number + 2, 374, wide - 4, 84, lighter(cloth, 0.08), round_by=18)
        c.box(x + 26 + wide * number + 1, 452, wide - 2, 40, lighter(cloth, 0.2), round_by=13)
    c.box(x + 10, 484, width - 20, 38, cloth, round_by=8)
    for arm in (x - 12, x + width - 30):
        c.box(arm, 424, 42, 100, cloth, round_by=18)
        c.box(arm + 8, 430, 26, 20, lighter(cloth, 0.12), round_by=10)


def _shelf(c: Canvas, light: Light, draws: Draws, *, x: float, y: float) -> None:
    wood = light.on(draws.pick(WOODS))
    c.box(x, y, 200, 350, wood)
    for row in range(4):
        top = y + 10 + row * 85
        c.box(x + 10, top, 180, 75, darker(wood, 0.28))
        at = x + 12.0
        while at < x + 172:
            wide, high = draws.whole(9, 20), draws.whole(42, 66)
            if draws.chance(0.1):
                at += 26
                continue
            cover = light.on(draws.pick((*CLOTHS, LINEN, WOODS[3])))
            c.box(at, top + 75 - high, wide, high, cover)
            c.box(at + 2, top + 75 - high + 9, wide - 4, 4, lighter(cover, 0.4))
            at += wide + 1


def table(c: Canvas, light: Light, draws: Draws) -> None:
    """A table with a vase before a window, a chair on each side."""
    light = indoors(light)
    room(c, light, draws)
    pane(c, light, draws, x=260, y=70, width=280, height=240)
    framed(c, light, draws, x=draws.pick((60, 640)), y=150, width=96, height=116)
    wood, seat = light.on(draws.pick(WOODS)), light.on(draws.pick(CLOTHS))
    rug(c, light, draws, x=400, y=560, across=330)
    for side in (-1, 1):
        _chair(c, wood=darker(wood, 0.1), seat=seat, x=400 + side * 216, side=side)
    c.shadow(400, 566, 120, flat=0.12)
    c.area([(388, 420), (412, 420), (418, 552), (382, 552)], darker(wood, 0.16))
    c.box(340, 548, 120, 14, darker(wood, 0.2), round_by=7)
    c.disc(400, 414, 170, darker(wood, 0.12), flat=0.13)
    c.disc(400, 406, 170, lighter(wood, 0.14), flat=0.13)
    _vase(c, light, draws, x=400, base=404)
    for x in (312, 482):
        c.disc(x, 408, 25, light.on(LINEN), flat=0.26)
        c.box(x - 12, 388, 24, 19, light.on(LINEN), round_by=6)
        c.disc(x, 389, 12, darker(light.on(LINEN), 0.16), flat=0.26)


def _vase(c: Canvas, light: Light, draws: Draws, *, x: float, base: float) -> None:
    glaze, bloom = light.on(draws.pick(CLOTHS)), light.on(draws.pick((*CLOTHS, LINEN)))
    for stem in range(7):
        lean = (stem - 3) * 15 + draws.whole(-4, 4)
        top = base - 106 - draws.whole(0, 34) + abs(stem - 3) * 9
        c.line([(x + lean * 0.16, base - 50), (x + lean, top)], light.on(GREENS[2]), 3)
        c.disc(x + lean, top, 13, bloom)
        c.disc(x + lean + 2, top + 1, 5, light.on(CLOTHS[3]))
    c.shape([(x - 13, base - 64), (x + 13, base - 64), (x + 10, base - 44, x + 34, base - 36, x + 24, base),
             (x - 24, base), (x - 34, base - 36, x - 10, base - 44, x - 13, base - 64)], glaze)  # fmt: skip
    c.box(x - 17, base - 46 + 14, 7, 22, lighter(glaze, 0.4), round_by=4)


def _chair(c: Canvas, *, wood: Colour, seat: Colour, x: float, side: int) -> None:
    back = x + side * 42
    c.shadow(x, 572, 66, flat=0.12)
    c.line([(back, 300), (back + side * 6, 568)], wood, 11)
    c.line([(x - side * 42, 462), (x - side * 46, 568)], wood, 10)
    c.line([(x - side * 30, 520), (back, 520)], wood, 7)
    for y in (316, 352, 388):
        c.box(min(back, back - side * 14), y, 14, 12, wood)
    c.box(x - 52, 452, 104, 15, seat, round_by=7)
    c.box(back - 9, 296, 18, 124, wood, round_by=8)


def stairs(c: Canvas, light: Light, draws: Draws) -> None:
    """Steps and banisters that lead up past a window."""
    light = indoors(light)
    room(c, light, draws)
    pane(c, light, draws, x=96, y=90, width=120, height=180)
    wood = light.on(draws.pick(WOODS))
    wide, high = STEP
    start_x, start_y = FOOT
    wall = light.on(draws.pick(PAPERS))
    c.area(
        [
            (start_x, 600),
            (start_x, start_y),
            (start_x + STEPS * wide, start_y - STEPS * high),
            (820, start_y - STEPS * high),
            (820, 600),
        ],
        darker(wall, 0.12),
    )
    for step in range(STEPS):
        x, y = start_x + step * wide, start_y - step * high
        c.box(x, y - high, 820 - x, high + 1, lighter(wood, 0.2) if step % 2 else lighter(wood, 0.14))
        c.box(x - 6, y - high, 826 - x, 9, wood)
    c.area(
        [
            (start_x + 40, 600),
            (start_x + 40, 580),
            (820, 580 - (780 - start_x) * high / wide + 10),
            (820, 600),
        ],
        darker(wood, 0.18),
    )
    c.area(
        [(start_x + 90, 600), (820, 600 - (730 - start_x) * high / wide + 40), (820, 600)], darker(wall, 0.06)
    )
    _banisters(c, light, wood=wood)
    for number, (x, y) in enumerate(((330, 150), (440, 74))):
        framed(c, light, draws.at("frame", number), x=x, y=y, width=84, height=70)
    _side_table(c, light, draws, wood=wood)


def _side_table(c: Canvas, light: Light, draws: Draws, *, wood: Colour) -> None:
    lamp(c, light, draws, x=112, base=456, height=100)
    c.box(70, 456, 84, 12, lighter(wood, 0.15))
    c.box(78, 468, 8, 96, wood)
    c.box(138, 468, 8, 96, wood)


def _banisters(c: Canvas, light: Light, *, wood: Colour) -> None:
    wide, high = STEP
    start_x, start_y = FOOT
    for step in range(STEPS):
        x, y = start_x + step * wide + 30, start_y - step * high - high
        c.box(x, y - 104, 8, 108, light.on(FRAME))
        c.disc(x + 4, y - 50, 8, light.on(FRAME))
    rail = darker(wood, 0.25)
    c.line([(start_x + 8, start_y - 158), (820, start_y - 158 - (812 - start_x - 8) * high / wide)], rail, 14)
    c.box(start_x - 8, start_y - 176, 28, 190, rail, round_by=4)
    c.disc(start_x + 6, start_y - 184, 19, rail)


BEDROOMS = {f"bedroom-{beds}": partial(bedroom, beds=beds) for beds in ("single", "double", "twin", "bunk")}
