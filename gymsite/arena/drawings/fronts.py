"""The six kinds of house on the booking site, each seen from the front."""

from __future__ import annotations

from gymsite.arena.drawings.canvas import darker, lighter, mix, parse_hex, parse_palette
from gymsite.arena.drawings.houses import (
    BASE,
    FRAME,
    PAINTS,
    STONE,
    chimney,
    door,
    flower_row,
    green_front,
    paint_drawn,
    pots,
    roof_gable,
    roof_wide,
    setting,
    window,
)
from gymsite.arena.drawings.lights import GLASS, IRON, Scene
from gymsite.arena.drawings.plants import bush, tree


def hotel(s: Scene) -> None:
    """Draw a tall town house with a cornice, dormers and an awning."""
    paint = paint_drawn(s.draws)
    bays, storeys = s.draws.pick((5, 7)), s.draws.whole(3, 4)
    width = 66 * bays + 30
    left, storey = 400 - width / 2, 82
    top = BASE - 100 - storey * (storeys - 1)
    setting(s, left=left, right=left + width, is_town=True)
    wall = s.on(paint.wall)
    roof_wide(s, s.on(paint.roof), x=left, y=top, width=width, height=58, hip=0.05)
    xs = [left + 15 + 66 * bay + 17 for bay in range(bays)]
    for x in xs[1::2]:
        roof_gable(s, darker(s.on(paint.roof), 0.18), x=x, y=top - 34, width=32, height=16)
        window(s, x=x + 5, y=top - 36, width=22, height=30)
    s.box(left, top, width, BASE - top, wall)
    s.box(left + width - 14, top, 14, BASE - top, darker(wall, 0.1))
    s.box(left - 8, top, width + 16, 12, lighter(wall, 0.3))
    is_arched, shutters = s.draws.chance(0.4), s.draws.pick((None, paint.wood))
    for row in range(storeys - 1):
        y = top + 24 + storey * row
        for x in xs:
            window(s, x=x, y=y, width=32, height=48, arched=is_arched and row == 0,
                   shutters=shutters if not is_arched else None)  # fmt: skip
        s.box(left, y + 64, width, 4, darker(wall, 0.08))
    ground = s.on(mix(STONE, paint.wall, 0.25))
    s.box(left, BASE - 96, width, 96, ground)
    s.box(left - 4, BASE - 100, width + 8, 8, lighter(ground, 0.25))
    middle = bays // 2
    for number, x in enumerate(xs):
        if number != middle:
            window(s, x=x - 4, y=BASE - 82, width=40, height=60, arched=True)
    door(s, x=xs[middle] - 8, base=BASE, width=48, height=66, colour=paint.wood)
    s.art("outdoors/awning", xs[middle] - 34, BASE - 100, cloth=s.any_of(PAINTS))
    pots(s, x=xs[middle] + 16, apart=54)


def apartments(s: Scene) -> None:
    """Draw a modern house with wide windows, a flat roof and a staircase behind glass."""
    paint = paint_drawn(s.draws)
    bays, storeys, storey = s.draws.whole(3, 4), s.draws.whole(4, 5), 74
    width = 104 * bays + 84
    left = 400 - width / 2
    top = BASE - storey * storeys - 8
    setting(s, left=left, right=left + width, is_town=True)
    wall, panel = s.on(lighter(paint.wall, 0.3)), s.any_of((paint.wood, parse_hex("9a7452")))
    tower = s.draws.whole(0, bays)
    s.box(left - 6, top - 14, width + 12, 16, darker(wall, 0.3))
    s.box(left, top, width, BASE - top, wall)
    x = left
    for bay in range(bays + 1):
        if bay == tower:
            s.box(x, top - 34, 84, BASE - top + 34, panel)
            glass = s.lit(GLASS)
            s.box(x + 22, top - 6, 40, BASE - top - 92, mix(glass, panel, 0.25))
            for bar in range(1, storeys * 2 - 2):
                s.box(x + 22, top - 6 + bar * storey / 2, 40, 3, panel)
            door(s, x=x + 20, base=BASE, width=44, height=62, colour=IRON)
            x += 84
            continue
        for row in range(storeys):
            _wide_window(s, x=x + 14, y=top + 16 + storey * row, panel=panel)
        x += 104
    for row in range(1, storeys):
        s.box(left, top + storey * row + 2, width, 3, darker(wall, 0.12))
    tree(s, x=left - 46, base=BASE + 14, height=s.draws.whole(190, 270))
    bush(s, x=left + width + 20, base=BASE + 8, size=26)
    bush(s, x=left + width + 58, base=BASE + 10, size=20)


def _wide_window(s: Scene, *, x: float, y: float, panel: tuple[int, int, int]) -> None:
    is_left = s.draws.chance(0.5)
    s.box(x + (0 if is_left else 56), y, 20, 44, panel)
    window(s, x=x + (22 if is_left else 0), y=y, width=54, height=44)


def guesthouse(s: Scene) -> None:
    """Draw a half-timbered house with a steep gable, and flowers."""
    paint = paint_drawn(s.draws)
    width, storey = s.draws.whole(300, 360), 96
    left, top = 400 - width / 2, BASE - 92 - storey
    setting(s, left=left, right=left + width, is_town=s.draws.chance(0.5))
    wall, beam = s.on(lighter(paint.wall, 0.35)), s.on("6a4b38")
    gable = s.draws.whole(150, 190)
    chimney(s, x=left + width * 0.72, top=top - gable * 0.86, height=120)
    roof_gable(s, s.on(paint.roof), x=left, y=top, width=width, height=gable)
    s.area([(left + 8, top + 8), (400, top - gable + 18), (left + width - 8, top + 8)], wall)
    s.box(left, top, width, BASE - top, wall)
    s.box(left, BASE - 84, width, 84, s.on(mix(STONE, paint.wall, 0.3)))
    for y in (top, top + storey):
        s.box(left, y, width, 9, beam)
    count = 4
    for part in range(count + 1):
        s.box(left + (width - 9) * part / count, top, 9, storey, beam)
    for part in (0, count - 1):
        near = left + width * part / count
        ends = (near, near + width / count) if part else (near + width / count, near)
        s.line([(ends[0], top + 6), (ends[1], top + storey)], beam, 7)
    s.line([(400 - width * 0.26, top), (400, top - gable * 0.42)], beam, 7)
    s.line([(400 + width * 0.26, top), (400, top - gable * 0.42)], beam, 7)
    s.box(396, top - gable + 24, 8, gable - 24, beam)
    window(s, x=382, y=top - 74, width=36, height=46)
    xs = [left + width * (part + 0.5) / count - 17 for part in (1, 2)]
    for x in xs:
        window(s, x=x, y=top + 26, width=34, height=46)
    flower_row(s, xs=[*xs, 382], y=top + 74, width=34, share=1)
    flower_row(s, xs=[382], y=top - 26, width=36, share=1)
    for x in (left + 30, left + width - 76):
        window(s, x=x, y=BASE - 66, width=46, height=42, shutters=paint.wood)
    door(s, x=376, base=BASE, width=48, height=62, colour=paint.wood, arched=False)
    green_front(s, left=left - 20, right=left + width * 0.4)


def cottage(s: Scene) -> None:
    """Draw a cottage with two low storeys and a big roof, behind a fence."""
    paint = paint_drawn(s.draws)
    width = s.draws.whole(380, 450)
    left, top = 400 - width / 2, BASE - 150
    setting(s, left=left, right=left + width, is_town=False)
    wall = s.on(lighter(paint.wall, 0.15))
    chimney(s, x=left + width * s.draws.pick((0.16, 0.76)), top=top - 172, height=90)
    roof_wide(s, s.on(paint.roof), x=left, y=top, width=width, height=132, hip=0.14)
    s.box(left, top, width, 150, wall)
    s.box(left + width - 16, top, 16, 150, darker(wall, 0.1))
    for part in (0.3, 0.7):
        x = left + width * part - 26
        s.box(x, top - 62, 52, 56, wall)
        roof_gable(s, darker(s.on(paint.roof), 0.15), x=x, y=top - 66, width=52, height=26)
        window(s, x=x + 10, y=top - 54, width=32, height=36)
    xs = [left + width * part - 24 for part in (0.14, 0.36, 0.86)]
    for x in xs:
        window(s, x=x, y=top + 44, width=48, height=52, shutters=paint.wood, bars=2)
    flower_row(s, xs=xs, y=top + 98, width=48, share=0.8)
    at = left + width * 0.6
    door(s, x=at - 24, base=BASE, width=48, height=82, colour=paint.wood, arched=s.draws.chance(0.5))
    path = s.on("d9cfb8")
    s.shape([(at - 26, BASE + 8), (at + 26, BASE + 8), (at + 40, 550, at + 90, 570, at + 110, 600),
             (at - 60, 600), (at - 40, 560, at - 30, 540, at - 26, BASE + 8)], path)  # fmt: skip
    _fence(s, gap=(at - 52, at + 66))
    green_front(s, left=left, right=left + width * 0.5)


def _fence(s: Scene, *, gap: tuple[float, float]) -> None:
    white = s.on("f4f0e6")
    for left, right in ((-10, gap[0]), (gap[1], 810)):
        for y in (536, 556):
            s.box(left, y, right - left, 5, darker(white, 0.08))
        x = left
        while x < right - 9:
            s.area([(x, 572), (x, 528), (x + 5, 520), (x + 10, 528), (x + 10, 572)], white)
            x += 19


def warehouse(s: Scene) -> None:
    """Draw a brick house that was once a warehouse, with arched windows and a hoist in the gable."""
    bays, storeys, storey = s.draws.whole(4, 5), 3, 92
    brick = s.draws.pick(parse_palette("a8604d 96594a b57a5c 8c6a5a a88a70"))
    width = 84 * bays + 40
    left, top = 400 - width / 2, BASE - storey * storeys
    setting(s, left=left, right=left + width, is_town=True)
    wall, paint = s.on(brick), paint_drawn(s.draws)
    roof_gable(s, s.on(paint.roof), x=left, y=top, width=width, height=96)
    s.area([(left + 10, top + 4), (400, top - 82), (left + width - 10, top + 4)], wall)
    s.box(left, top, width, BASE - top, wall)
    for row in range(26):
        y = top + 8 + row * 11
        for brickwork in range(3):
            x = left + (row * 53 + brickwork * 137) % int(width - 30)
            s.box(x, y, 22, 5, lighter(wall, 0.09))
    s.box(left, BASE - 30, width, 30, darker(wall, 0.2))
    s.disc(400, top - 26, 21, s.on(FRAME))
    s.disc(400, top - 26, 17, s.lit(GLASS))
    for y in (top + 2, top + storey, top + 2 * storey):
        s.box(left - 3, y, width + 6, 6, lighter(wall, 0.16))
    xs = [left + 20 + 84 * bay + 18 for bay in range(bays)]
    for row in range(storeys):
        for number, x in enumerate(xs):
            if row == 2 and number == bays // 2:
                continue
            window(s, x=x, y=top + 20 + storey * row, width=48, height=56, arched=True, bars=2)
    door(s, x=xs[bays // 2] - 6, base=BASE, width=60, height=54, colour=paint.wood, arched=True)
    tree(s, x=left - 40, base=BASE + 12, height=210)
    bush(s, x=left + width + 34, base=BASE + 8, size=24)


def villa(s: Scene) -> None:
    """Draw a detached house with two wings among trees."""
    paint = paint_drawn(s.draws)
    flip = s.draws.chance(0.5)
    left, width = 190, 420
    setting(s, left=left, right=left + width, is_town=False)
    wall, roof = s.on(lighter(paint.wall, 0.25)), s.on(paint.roof)
    tall = left if flip else left + 230
    low = left + 190 if flip else left
    chimney(s, x=low + 150 if flip else low + 50, top=BASE - 254, height=90)
    roof_wide(s, roof, x=low, y=BASE - 132, width=230, height=84, hip=0.08)
    s.box(low, BASE - 132, 230, 132, wall)
    roof_gable(s, darker(roof, 0.1), x=tall, y=BASE - 220, width=190, height=112)
    s.area([(tall + 8, BASE - 214), (tall + 95, BASE - 318), (tall + 182, BASE - 214)], lighter(wall, 0.12))
    s.box(tall, BASE - 220, 190, 220, lighter(wall, 0.12))
    s.box(tall, BASE - 118, 190, 4, darker(wall, 0.1))
    window(s, x=tall + 78, y=BASE - 284, width=34, height=44, arched=True)
    for x in (tall + 38, tall + 112):
        window(s, x=x, y=BASE - 192, width=40, height=56, shutters=paint.wood)
    window(s, x=tall + 40, y=BASE - 96, width=110, height=62, bars=3)
    door_x = low + (140 if flip else 44)
    door(s, x=door_x, base=BASE, width=46, height=76, colour=paint.wood)
    roof_gable(s, roof, x=door_x - 14, y=BASE - 108, width=74, height=28)
    other = low + (48 if flip else 140)
    window(s, x=other, y=BASE - 92, width=48, height=54, shutters=paint.wood)
    flower_row(s, xs=[other, tall + 70], y=BASE - 34, width=48, share=0.7)
    tree(s, x=left - 70, base=BASE + 24, height=s.draws.whole(280, 360))
    tree(s, x=left + width + 60, base=BASE + 16, height=s.draws.whole(200, 300))
    for x in range(left, left + width, 62):
        bush(s, x=x + s.draws.whole(-14, 14), base=BASE + 12, size=s.draws.whole(14, 24))
