"""Interiors: beds, chairs, a table at the window, stairs; none shows anything listed as an amenity."""

from __future__ import annotations

from functools import partial

from gymsite.arena.drawings.canvas import WIDTH, darker, lighter, mix, parse_hex, parse_palette
from gymsite.arena.drawings.houses import FRAME
from gymsite.arena.drawings.lights import LIGHTS, Scene
from gymsite.arena.drawings.plants import GREENS

FLOOR = 456
PAPERS = parse_palette("e6dccb c9d3c4 bfcdd4 e3cfc4 d8cfdc dfd3a9 b9c4b0 d9c3ae")
WOODS = parse_palette("9a7452 7a5a46 b38a62 5f4a3e c09a72")
CLOTHS = parse_palette("c8694f 4f7a86 6f8a62 d2a24c 8a6583 40597a b5828c")
LINEN = parse_hex("f7f3ea")
BRASS = parse_hex("c79a4b")
NIGHTSTANDS = {"single": 137, "double": 195, "twin": 0}
"""The distance of the bedside lamps from the middle of the beds."""


def room(s: Scene) -> None:
    """Draw wall, skirting board and floor. In the evening the room is lit by its lamps alone."""
    if s.light.lamp:
        s.light = s.light._replace(tint=parse_hex("6b3f33"), share=0.3)
    wall, floor = s.any_of(PAPERS), s.any_of(WOODS)
    s.fade(0, FLOOR, lighter(wall, 0.06), wall)
    if s.draws.chance(0.4):
        panel = darker(wall, 0.1)
        s.box(0, FLOOR - 120, WIDTH, 120, panel)
        s.box(0, FLOOR - 124, WIDTH, 6, lighter(wall, 0.25))
        for x in range(20, WIDTH, 110):
            s.box(x, FLOOR - 100, 88, 74, lighter(panel, 0.06))
    elif s.draws.chance(0.5):
        for x in range(0, WIDTH, 44):
            s.box(x, 0, 18, FLOOR, darker(wall, 0.035))
    s.fade(FLOOR, 600, floor, darker(floor, 0.14))
    for row, y in enumerate((FLOOR + 22, FLOOR + 54, FLOOR + 96)):
        s.box(0, y, WIDTH, 2, darker(floor, 0.16))
        for x in range((row * 97) % 160 - 60, WIDTH, 190 + 30 * row):
            s.box(x, y, 2, 22 + 12 * row, darker(floor, 0.16))
    s.box(0, FLOOR - 14, WIDTH, 16, s.on(FRAME))


def pane(s: Scene, *, x: float, y: float, width: float, height: float) -> None:
    """Draw a window seen from inside: sky, a hill, light curtains, and in the morning, sun on the floor."""
    frame, cloth = (s.on(FRAME), lighter(s.any_of((LINEN, *CLOTHS)), 0.15 if s.light.lamp else 0.42))
    s.box(x - 10, y - 10, width + 20, height + 20, frame)
    steps = 14
    for step in range(steps):
        shade = mix(s.light.zenith, s.light.horizon, step / steps)
        s.box(x, y + height * step / steps, width, height / steps + 1, shade)
    hill = s.on(GREENS[1], far=0.25)
    bend = s.draws.whole(-16, 16)
    s.shape([(x, y + height), (x, y + height * 0.74 + bend * 0.4),
             (x + width * 0.3, y + height * 0.6 + bend, x + width * 0.7, y + height * 0.9,
              x + width, y + height * 0.7),
             (x + width, y + height)], hill)  # fmt: skip
    s.box(x + width / 2 - 4, y, 8, height, frame)
    s.box(x, y + height * 0.4, width, 6, frame)
    s.box(x - 20, y + height + 8, width + 40, 12, darker(frame, 0.06))
    for left, right in ((x - 26, x + width * 0.16), (x + width * 0.84, x + width + 26)):
        wide = right - left
        s.box(left, y - 24, wide, height + 62, cloth, alpha=235)
        for fold in (0.3, 0.65):
            s.box(left + wide * fold, y - 24, 4, height + 62, darker(cloth, 0.1))
    s.line([(x - 40, y - 26), (x + width + 40, y - 26)], s.on(WOODS[3]), 7)
    if s.light is LIGHTS["morning"]:
        s.area(
            [(x, FLOOR + 20), (x + width, FLOOR + 20), (x + width + 130, 600), (x + 70, 600)],
            s.light.sun,
            alpha=60,
        )


def lamp(s: Scene, *, x: float, base: float, height: float) -> None:
    """Draw a lamp with a shade, lit in the evening."""
    shade = s.lit(s.draws.at("shade").pick((LINEN, *CLOTHS[2:5])))
    if s.light.lamp:
        s.glow(x, base - height * 0.86, height * 0.72 if height < 120 else 150, s.light.lamp, alpha=64)
    s.box(x - 2.5, base - height, 5, height, s.on(BRASS))
    s.box(x - 16, base - 6, 32, 6, s.on(BRASS), round_by=3)
    half = min(height * 0.3, 46)
    top = base - height
    s.area([(x - half * 0.55, top - half * 0.6), (x + half * 0.55, top - half * 0.6),
            (x + half, top + half * 0.62), (x - half, top + half * 0.62)], shade)  # fmt: skip


def framed(s: Scene, *, x: float, y: float, width: float, height: float) -> None:
    """Draw a picture of hills under a sun on the wall."""
    cloth, paper = s.any_of(CLOTHS), s.any_of(PAPERS)
    s.box(x, y, width, height, s.any_of((WOODS[3], BRASS, FRAME)))
    s.box(x + 6, y + 6, width - 12, height - 12, s.on(LINEN))
    left, top, wide, high = x + 14, y + 14, width - 28, height - 28
    s.box(left, top, wide, high, paper)
    s.disc(
        left + wide * (0.3 + 0.4 * s.draws.share()),
        top + high * 0.36,
        min(wide, high) * 0.15,
        lighter(cloth, 0.4),
    )
    s.shape([(left, top + high), (left, top + high * 0.7),
             (left + wide * 0.3, top + high * 0.4, left + wide * 0.6, top + high,
              left + wide, top + high * 0.6),
             (left + wide, top + high)], cloth)  # fmt: skip


def rug(s: Scene, *, x: float, y: float, across: float) -> None:
    cloth = s.any_of(CLOTHS)
    s.disc(x, y, across, darker(cloth, 0.1), flat=0.2)
    s.disc(x, y, across * 0.9, lighter(cloth, 0.3), flat=0.2)
    s.disc(x, y, across * 0.8, cloth, flat=0.2)


def bedroom(s: Scene, *, beds: str) -> None:
    room(s)
    is_left = s.draws.chance(0.5)
    pane(s, x=70 if is_left else 560, y=110, width=170, height=200)
    cloth, wood = s.any_of(CLOTHS), s.any_of(WOODS)
    rug(s, x=430 if is_left else 370, y=560, across=300)
    middle = 505 if is_left else 295
    framed(s, x=middle - 60, y=92, width=120, height=92)
    s.art(f"rooms/{beds}", middle, cloth=cloth, wood=wood)
    if beds in NIGHTSTANDS:
        lamp(s, x=middle + NIGHTSTANDS[beds], base=396, height=64)


def lounge(s: Scene) -> None:
    """Draw one or two armchairs, a bookshelf and a floor lamp."""
    room(s)
    is_left = s.draws.chance(0.5)
    shelf, seat = (60, 520) if is_left else (540, 280)
    pane(s, x=seat - 70, y=96, width=150, height=190)
    _shelf(s, x=shelf, y=120)
    rug(s, x=seat, y=556, across=250)
    cloth = s.any_of(CLOTHS)
    lamp_x = seat + 214 if is_left else seat - 212
    if s.draws.chance(0.5):
        s.art("rooms/armchairs", seat, cloth=cloth)
    else:
        s.art("rooms/sofa", seat, cloth=cloth, pillow=s.any_of(CLOTHS))
    lamp(s, x=lamp_x, base=520, height=270)


def _shelf(s: Scene, *, x: float, y: float) -> None:
    wood = s.any_of(WOODS)
    s.box(x, y, 200, 350, wood)
    for row in range(4):
        top = y + 10 + row * 85
        s.box(x + 10, top, 180, 75, darker(wood, 0.28))
        at = x + 12.0
        while at < x + 172:
            wide, high = s.draws.whole(9, 20), s.draws.whole(42, 66)
            if s.draws.chance(0.1):
                at += 26
                continue
            cover = s.any_of((*CLOTHS, LINEN, WOODS[3]))
            s.box(at, top + 75 - high, wide, high, cover)
            s.box(at + 2, top + 75 - high + 9, wide - 4, 4, lighter(cover, 0.4))
            at += wide + 1


def table(s: Scene) -> None:
    """Draw a table with a vase in front of a window, and a chair on each side."""
    room(s)
    pane(s, x=260, y=70, width=280, height=240)
    framed(s, x=s.draws.pick((60, 640)), y=150, width=96, height=116)
    wood, seat = s.any_of(WOODS), s.any_of(CLOTHS)
    rug(s, x=400, y=560, across=330)
    s.art("rooms/table", wood=wood, seat=seat)
    _vase(s, x=400, base=404)


def _vase(s: Scene, *, x: float, base: float) -> None:
    glaze, bloom = s.any_of(CLOTHS), s.any_of((*CLOTHS, LINEN))
    for stem in range(7):
        lean = (stem - 3) * 15 + s.draws.whole(-4, 4)
        top = base - 106 - s.draws.whole(0, 34) + abs(stem - 3) * 9
        s.line([(x + lean * 0.16, base - 50), (x + lean, top)], s.on(GREENS[2]), 3)
        s.disc(x + lean, top, 13, bloom)
        s.disc(x + lean + 2, top + 1, 5, s.on(CLOTHS[3]))
    s.shape([(x - 13, base - 64), (x + 13, base - 64), (x + 10, base - 44, x + 34, base - 36, x + 24, base),
             (x - 24, base), (x - 34, base - 36, x - 10, base - 44, x - 13, base - 64)], glaze)  # fmt: skip
    s.box(x - 17, base - 46 + 14, 7, 22, lighter(glaze, 0.4), round_by=4)


def stairs(s: Scene) -> None:
    """Draw steps and banisters that lead up past a window."""
    room(s)
    pane(s, x=96, y=90, width=120, height=180)
    wood = s.any_of(WOODS)
    lamp(s, x=112, base=456, height=100)
    s.art("rooms/stairs", wood=wood, wall=s.any_of(PAPERS))
    for number, (x, y) in enumerate(((330, 150), (440, 74))):
        framed(s.apart("frame", number), x=x, y=y, width=84, height=70)


BEDROOMS = {f"bedroom-{beds}": partial(bedroom, beds=beds) for beds in ("single", "double", "twin", "bunk")}
