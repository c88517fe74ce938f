"""Scenes by the water: harbour, lake, river and sea."""

from __future__ import annotations

from gymsite.arena.drawings.canvas import WIDTH, darker, lighter, mix, parse_hex, parse_palette
from gymsite.arena.drawings.houses import FRAME, ROOFS, STONE, WALLS
from gymsite.arena.drawings.lights import (
    FAR_HILLS,
    GLASS,
    GRASS,
    IRON,
    NEAR_HILLS,
    SEA,
    Scene,
    mountains,
    ridge,
    sky,
    water,
)
from gymsite.arena.drawings.plants import tree
from gymsite.arena.drawings.scenery import belfry

SHORE = 330


def harbour(s: Scene) -> None:
    """Draw narrow houses on a quay, with boats in front of them."""
    sky(s, bottom=SHORE + 40)
    ridge(s, s.on(FAR_HILLS, far=0.4), y=270, height=34)
    x = -20.0
    while x < WIDTH:
        wide, high = s.draws.whole(66, 92), s.draws.whole(110, 178)
        wall, roof = s.any_of(WALLS), s.any_of(ROOFS)
        top = SHORE + 34 - high
        s.area([(x, top), (x + wide / 2, top - wide * 0.55), (x + wide, top)], roof)
        s.box(x, top, wide, high, wall)
        for row in range(int(high / 46)):
            for bay in (0.2, 0.6):
                glass = s.glass(0.5)
                s.box(x + wide * bay - 2, top + 12 + row * 46, wide * 0.22 + 4, 27, s.on(FRAME))
                s.box(x + wide * bay, top + 14 + row * 46, wide * 0.22, 23, glass)
        x += wide
    water(s, top=SHORE + 48)
    s.box(0, SHORE + 34, WIDTH, 16, s.on(STONE))
    s.box(0, SHORE + 46, WIDTH, 8, darker(s.on(STONE), 0.3))
    for number in range(3):
        _boat(s, x=110 + 240 * number + s.draws.whole(-40, 40), y=430 + number % 2 * 84, size=92)


def _boat(s: Scene, *, x: float, y: float, size: float, sail: bool = False) -> None:
    hull = s.any_of(parse_palette("a8473f 35566b f1ece0 3f6b5c d0a044"))
    s.disc(x, y + size * 0.2, size * 0.62, darker(s.on(SEA), 0.3), flat=0.12, alpha=120)
    mast, half, keel = s.on("6b5244"), size * 0.5, y + size * 0.22
    s.box(x - 2, y - size * 1.05, 4, size * 1.05, mast)
    if sail:
        cloth = s.on("f7f2e6")
        s.shape(
            [
                (x + 4, y - size),
                (x + size * 0.2, y - size * 0.7, x + half, y - size * 0.3, x + half, y - size * 0.1),
                (x + 4, y - size * 0.1),
            ],
            cloth,
        )
        s.area(
            [(x - 6, y - size * 0.86), (x - size * 0.4, y - size * 0.1), (x - 6, y - size * 0.1)],
            darker(cloth, 0.1),
        )
    else:
        s.line([(x, y - size), (x - size * 0.5, y - 4)], mast, 1.6)
        s.line([(x, y - size), (x + size * 0.5, y - 4)], mast, 1.6)
        s.box(x - size * 0.34, y - size * 0.24, size * 0.4, size * 0.26, s.on(FRAME))
        s.box(x - size * 0.28, y - size * 0.18, size * 0.12, size * 0.1, s.lit(GLASS))
        s.box(x - size * 0.1, y - size * 0.18, size * 0.1, size * 0.1, s.lit(GLASS))
    s.shape(
        [
            (x - size * 0.58, y - 6),
            (x + size * 0.62, y - 12),
            (x + half, y + size * 0.2, x + size * 0.3, keel, x + size * 0.2, keel),
            (x - size * 0.4, keel),
        ],
        hull,
    )
    s.box(x - size * 0.56, y - 7, size * 1.14, 5, lighter(hull, 0.35))


def lake(s: Scene) -> None:
    """Draw still water between mountains, with sailing boats."""
    sky(s, bottom=SHORE)
    mountains(s, y=SHORE + 4, height=190, far=0.35)
    ridge(s, s.on("7fa07a", far=0.15), y=312, height=22, peaks=3)
    water(s, top=SHORE)
    for number in range(s.draws.whole(2, 3)):
        x, is_near = 140 + number * 230 + s.draws.whole(-50, 50), number % 2
        _boat(s, x=x, y=400 + is_near * 60, size=70 + 22 * is_near, sail=True)
    bank = s.on(GRASS)
    s.shape([(0, 600), (0, 540), (160, 500, 300, 560, 420, 600)], bank)
    for _ in range(12):
        x, y = s.draws.whole(10, 260), s.draws.whole(560, 596)
        s.line([(x, y), (x + s.draws.whole(-6, 6), y - s.draws.whole(20, 46))], darker(bank, 0.2), 2.4)
    tree(s, x=s.draws.whole(50, 110), base=556, height=s.draws.whole(240, 300))


def bridge(s: Scene) -> None:
    """Draw a bridge of arches over a river, with trees on the far bank."""
    sky(s, bottom=380)
    ridge(s, s.on(FAR_HILLS, far=0.4), y=300, height=50)
    belfry(s, x=s.draws.whole(120, 680), base=370, width=46, height=130, far=0.2)
    ridge(s, s.on(NEAR_HILLS, far=0.1), y=360, height=12)
    for _ in range(7):
        tree(s, x=s.draws.whole(0, WIDTH), base=382, height=s.draws.whole(80, 140), far=0.15)
    water(s, top=380)
    stone = s.any_of((STONE, parse_hex("c2a98c"), parse_hex("b8b3ab")))
    arches = s.draws.whole(2, 4)
    span = 860 / arches
    s.shape([(-30, 470), (200, 360, 600, 360, 830, 470), (830, 410), (600, 318, 200, 318, -30, 410)], stone)
    s.area([(-30, 430), (830, 430), (830, 520), (-30, 520)], stone)
    s.shape([(-30, 430), (200, 330, 600, 330, 830, 430)], stone)
    deep = mix(s.on(SEA), s.light.horizon, 0.3)
    for arch in range(arches):
        x = -30 + span * (arch + 0.5)
        s.disc(x, 522, span * 0.4, darker(stone, 0.35), flat=0.92 / (span * 0.4) * 110)
        s.disc(x + 9, 524, span * 0.39, deep, flat=0.92 / (span * 0.39) * 106)
    s.fade(520, 600, deep, s.on(SEA))
    for _ in range(18):
        x = s.draws.whole(0, WIDTH)
        s.box(x, s.draws.whole(526, 596), s.draws.whole(20, 70), 3, s.light.horizon, round_by=2, alpha=80)
    s.curve([(-30, 408), (200, 316, 600, 316, 830, 408)], lighter(stone, 0.25), 9)
    for lamp in range(3):
        x = 200 + 200 * lamp
        y = 342 if lamp == 1 else 356
        s.box(x - 2, y - 54, 4, 56, s.on(IRON))
        if s.light.lamp:
            s.glow(x, y - 58, 34, s.light.lamp, alpha=80)
        s.disc(x, y - 58, 7, s.lit(FRAME))


def lighthouse(s: Scene) -> None:
    """Draw a striped lighthouse on a headland, with the sea behind it."""
    sky(s, bottom=SHORE + 10)
    water(s, top=SHORE + 10)
    x = s.draws.pick((s.draws.whole(230, 300), s.draws.whole(500, 570)))
    if s.light.lamp:
        s.area([(x, 122), (x + 620, 30), (x + 620, 170)], s.light.lamp, alpha=46)
        s.area([(x, 122), (x - 620, 60), (x - 620, 190)], s.light.lamp, alpha=30)
    _boat(s, x=WIDTH - x + s.draws.whole(-40, 40), y=SHORE + 60, size=60, sail=True)
    s.art("outdoors/lighthouse", x, band=s.any_of(parse_palette("b5483f 35566b 3f6b5c")))
