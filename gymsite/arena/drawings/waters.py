"""Harbour, lake, river and sea."""

from __future__ import annotations

from core.draws import Draws
from gymsite.arena.drawings.canvas import WIDTH, Canvas, darker, hexed, lighter, mix
from gymsite.arena.drawings.houses import FRAME, GLASS, ROOFS, STONE, WALLS
from gymsite.arena.drawings.lights import Light, mountains, ridge, sky, water
from gymsite.arena.drawings.plants import tree
from gymsite.arena.drawings.scenery import belfry

SHORE = 330


def harbour(c: Canvas, light: Light, draws: Draws) -> None:
    """Narrow houses on a quay, boats before them."""
    sky(c, light, draws, bottom=SHORE + 40)
    ridge(c, light.on(hexed("8fb0a6"), far=0.4), draws, y=270, height=34)
    x = -20.0
    while x < WIDTH:
        wide, high = draws.whole(66, 92), draws.whole(110, 178)
        wall, roof = light.on(draws.pick(WALLS)), light.on(draws.pick(ROOFS))
        top = SHORE + 34 - high
        c.area([(x, top), (x + wide / 2, top - wide * 0.55), (x + wide, top)], roof)
        c.box(x, top, wide, high, wall)
        for row in range(int(high / 46)):
            for bay in (0.2, 0.6):
                is_lit = draws.chance(0.5) and light.lamp is not None
                glass = light.lamp if is_lit and light.lamp else light.on(GLASS)
                c.box(x + wide * bay - 2, top + 12 + row * 46, wide * 0.22 + 4, 27, light.on(FRAME))
                c.box(x + wide * bay, top + 14 + row * 46, wide * 0.22, 23, glass)
        x += wide
    water(c, light, draws, top=SHORE + 48)
    c.box(0, SHORE + 34, WIDTH, 16, light.on(STONE))
    c.box(0, SHORE + 46, WIDTH, 8, darker(light.on(STONE), 0.3))
    for number in range(3):
        _boat(c, light, draws, x=110 + 240 * number + draws.whole(-40, 40), y=430 + number % 2 * 84, size=92)


def _boat(
    c: Canvas, light: Light, draws: Draws, *, x: float, y: float, size: float, sail: bool = False
) -> None:
    hull = light.on(draws.pick(tuple(map(hexed, ("a8473f", "35566b", "f1ece0", "3f6b5c", "d0a044")))))
    c.disc(x, y + size * 0.2, size * 0.62, darker(light.on(hexed("3f7f93")), 0.3), flat=0.12, alpha=120)
    mast, half, keel = light.on(hexed("6b5244")), size * 0.5, y + size * 0.22
    c.box(x - 2, y - size * 1.05, 4, size * 1.05, mast)
    if sail:
        cloth = light.on(hexed("f7f2e6"))
        c.shape(
            [
                (x + 4, y - size),
                (x + size * 0.2, y - size * 0.7, x + half, y - size * 0.3, x + half, y - size * 0.1),
                (x + 4, y - size * 0.1),
            ],
            cloth,
        )
        c.area(
            [(x - 6, y - size * 0.86), (x - size * 0.4, y - size * 0.1), (x - 6, y - size * 0.1)],
            darker(cloth, 0.1),
        )
    else:
        c.line([(x, y - size), (x - size * 0.5, y - 4)], mast, 1.6)
        c.line([(x, y - size), (x + size * 0.5, y - 4)], mast, 1.6)
        c.box(x - size * 0.34, y - size * 0.24, size * 0.4, size * 0.26, light.on(FRAME))
        c.box(x - size * 0.28, y - size * 0.18, size * 0.12, size * 0.1, light.lamp or light.on(GLASS))
        c.box(x - size * 0.1, y - size * 0.18, size * 0.1, size * 0.1, light.lamp or light.on(GLASS))
    c.shape(
        [
            (x - size * 0.58, y - 6),
            (x + size * 0.62, y - 12),
            (x + half, y + size * 0.2, x + size * 0.3, keel, x + size * 0.2, keel),
            (x - size * 0.4, keel),
        ],
        hull,
    )
    c.box(x - size * 0.56, y - 7, size * 1.14, 5, lighter(hull, 0.35))


def lake(c: Canvas, light: Light, draws: Draws) -> None:
    """Still water between mountains, with sails."""
    sky(c, light, draws, bottom=SHORE)
    mountains(c, light, draws, y=SHORE + 4, height=190, far=0.35)
    ridge(c, light.on(hexed("7fa07a"), far=0.15), draws, y=312, height=22, peaks=3)
    water(c, light, draws, top=SHORE)
    for number in range(draws.whole(2, 3)):
        _boat(
            c,
            light,
            draws,
            x=140 + number * 230 + draws.whole(-50, 50),
            y=400 + number % 2 * 60,
            size=70 + 22 * (number % 2),
            sail=True,
        )
    bank = light.on(hexed("8fae6e"))
    c.shape([(0, 600), (0, 540), (160, 500, 300, 560, 420, 600)], bank)
    for _ in range(12):
        x, y = draws.whole(10, 260), draws.whole(560, 596)
        c.line([(x, y), (x + draws.whole(-6, 6), y - draws.whole(20, 46))], darker(bank, 0.2), 2.4)
    tree(c, light, draws, x=draws.whole(50, 110), base=556, height=draws.whole(240, 300))


def bridge(c: Canvas, light: Light, draws: Draws) -> None:
    """Arches over a river, trees on the far bank."""
    sky(c, light, draws, bottom=380)
    ridge(c, light.on(hexed("8fb0a6"), far=0.4), draws, y=300, height=50)
    belfry(c, light, draws, x=draws.whole(120, 680), base=370, width=46, height=130, far=0.2)
    neighbours_y = light.on(hexed("86a67c"), far=0.1)
    ridge(c, neighbours_y, draws, y=360, height=12)
    for _ in range(7):
        tree(c, light, draws, x=draws.whole(0, WIDTH), base=382, height=draws.whole(80, 140), far=0.15)
    water(c, light, draws, top=380)
    stone = light.on(draws.pick((STONE, hexed("c2a98c"), hexed("b8b3ab"))))
    arches = draws.whole(2, 4)
    span = 860 / arches
    c.shape([(-30, 470), (200, 360, 600, 360, 830, 470), (830, 410), (600, 318, 200, 318, -30, 410)], stone)
    c.area([(-30, 430), (830, 430), (830, 520), (-30, 520)], stone)
    c.shape([(-30, 430), (200, 330, 600, 330, 830, 430)], stone)
    deep = mix(light.on(hexed("3f7f93")), light.horizon, 0.3)
    for arch in range(arches):
        x = -30 + span * (arch + 0.5)
        c.disc(x, 522, span * 0.4, darker(stone, 0.35), flat=0.92 / (span * 0.4) * 110)
        c.disc(x + 9, 524, span * 0.39, deep, flat=0.92 / (span * 0.39) * 106)
    c.fade(520, 600, deep, light.on(hexed("3f7f93")))
    for _ in range(18):
        x = draws.whole(0, WIDTH)
        c.box(x, draws.whole(526, 596), draws.whole(20, 70), 3, light.horizon, round_by=2, alpha=80)
    c.curve([(-30, 408), (200, 316, 600, 316, 830, 408)], lighter(stone, 0.25), 9)
    for lamp in range(3):
        x = 200 + 200 * lamp
        y = 356 - 0.0 - (14 if lamp == 1 else 0)
        c.box(x - 2, y - 54, 4, 56, light.on(hexed("39414a")))
        if light.lamp:
            c.glow(x, y - 58, 34, light.lamp, alpha=80)
        c.disc(x, y - 58, 7, light.lamp or light.on(FRAME))


def lighthouse(c: Canvas, light: Light, draws: Draws) -> None:
    """A striped tower on a point, the sea behind."""
    sky(c, light, draws, bottom=SHORE + 10)
    water(c, light, draws, top=SHORE + 10)
    x = draws.pick((draws.whole(230, 300), draws.whole(500, 570)))
    if light.lamp:
        c.area([(x, 122), (x + 620, 30), (x + 620, 170)], light.lamp, alpha=46)
        c.area([(x, 122), (x - 620, 60), (x - 620, 190)], light.lamp, alpha=30)
    _boat(c, light, draws, x=WIDTH - x + draws.whole(-40, 40), y=SHORE + 60, size=60, sail=True)
    rock, grass = light.on(hexed("8d8478")), light.on(hexed("8fae6e"))
    c.shape(
        [
            (x - 330, 600),
            (x - 260, 520, x - 200, 480, x - 90, 470),
            (x + 110, 466),
            (x + 200, 480, x + 270, 540, x + 340, 600),
        ],
        rock,
    )
    c.shape(
        [
            (x - 250, 520),
            (x - 160, 460, x + 120, 450, x + 220, 500),
            (x + 120, 486, x - 120, 492, x - 250, 520),
        ],
        grass,
    )
    _beacon(c, light, draws, x=x)


def _beacon(c: Canvas, light: Light, draws: Draws, *, x: float) -> None:
    """The tower, its lamp and the keeper's house."""
    white, band = light.on(FRAME), light.on(draws.pick(tuple(map(hexed, ("b5483f", "35566b", "3f6b5c")))))
    for part in range(6):
        low, high = 476 - part * 56, 476 - (part + 1) * 56
        wide_low, wide_high = 50 - part * 4.4, 50 - (part + 1) * 4.4
        c.area(
            [(x - wide_low, low), (x + wide_low, low), (x + wide_high, high), (x - wide_high, high)],
            band if part % 2 else white,
        )
        c.area(
            [
                (x + wide_low * 0.3, low),
                (x + wide_low, low),
                (x + wide_high, high),
                (x + wide_high * 0.3, high),
            ],
            (20, 24, 40),
            alpha=30,
        )
    c.box(x - 34, 134, 68, 9, light.on(hexed("39414a")))
    c.box(x - 17, 104, 34, 32, light.lamp or light.on(hexed("f8e8b0")))
    if light.lamp:
        c.glow(x, 120, 60, light.lamp, alpha=90)
        c.box(x - 13, 106, 26, 28, lighter(light.lamp, 0.5))
    c.area([(x - 24, 106), (x, 76), (x + 24, 106)], band)
    for y in (230, 340):
        c.box(x - 6, y, 12, 20, light.lamp or light.on(GLASS), round_by=5)
    c.box(x + 54, 414, 96, 56, white)
    c.area([(x + 46, 416), (x + 66, 386), (x + 138, 386), (x + 158, 416)], band)
    for left in (x + 70, x + 114):
        c.box(left, 430, 18, 22, light.lamp or light.on(GLASS))
