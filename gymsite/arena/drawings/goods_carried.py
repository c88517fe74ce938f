"""Backpacks, suitcases and tents; ``style`` 1 to 5 is the shape."""

from __future__ import annotations

from gymsite.arena.drawings.canvas import Canvas, Colour, darker, hexed, lighter, mix

METAL = hexed("c3c8cc")
DARK = hexed("3a3e44")
LEATHER = hexed("9a6a45")


def _trim(colour: Colour, style: int) -> Colour:
    return LEATHER if style in (2, 5) else darker(colour, 0.45)


def backpack(c: Canvas, colour: Colour, style: int) -> None:
    shade, trim = darker(colour, 0.2), _trim(colour, style)
    wide = (126, 140, 118, 134, 144)[style - 1]
    c.shadow(400, 512, wide * 1.35)
    c.curve([(372, 112), (372, 62, 428, 62, 428, 112)], trim, 13)
    for side in (-1, 1):
        c.curve(
            [
                (400 + side * wide * 0.7, 180),
                (400 + side * (wide + 60), 240, 400 + side * (wide + 44), 420, 400 + side * wide * 0.8, 474),
            ],
            darker(colour, 0.4),
            18,
        )
        c.shape(
            [
                (400 + side * wide, 330),
                (400 + side * (wide + 44), 340, 400 + side * (wide + 40), 470, 400 + side * (wide - 6), 484),
            ],
            shade,
        )
    _backpack_body(c, colour, style, wide=wide)
    if style in (2, 5):
        _backpack_flap(c, colour, wide=wide)
    else:
        c.curve(
            [
                (400 - wide * 0.86, 262),
                (400 - wide * 0.9, 130, 400 + wide * 0.9, 130, 400 + wide * 0.86, 262),
            ],
            darker(colour, 0.42),
            5,
        )
        c.box(396, 164, 8, 26, METAL, round_by=3)
    _backpack_front(c, colour, style, wide=wide)


def _backpack_body(c: Canvas, colour: Colour, style: int, *, wide: float) -> None:
    shade = darker(colour, 0.2)
    top = 96 if style != 3 else 78
    c.shape(
        [
            (400 - wide, 500),
            (400 - wide - 16, 300, 400 - wide + 4, top, 400, top),
            (400 + wide - 4, top, 400 + wide + 16, 300, 400 + wide, 500),
            (400 + wide - 10, 520, 400 - wide + 10, 520, 400 - wide, 500),
        ],
        colour,
    )
    c.shape(
        [
            (400 + wide * 0.5, top + 26),
            (400 + wide - 2, 160, 400 + wide + 10, 320, 400 + wide, 500),
            (400 + wide - 8, 512, 400 + wide * 0.6, 514, 400 + wide * 0.56, 514),
            (400 + wide * 0.7, 340, 400 + wide * 0.7, 200, 400 + wide * 0.5, top + 26),
        ],
        shade,
        alpha=150,
    )


def _backpack_flap(c: Canvas, colour: Colour, *, wide: float) -> None:
    c.shape(
        [
            (400 - wide - 6, 170),
            (400 - wide, 82, 400 + wide, 82, 400 + wide + 6, 170),
            (400 + wide, 268, 400 - wide, 268, 400 - wide - 6, 170),
        ],
        lighter(colour, 0.14),
    )
    for x in (350, 450):
        c.box(x - 11, 190, 22, 140, LEATHER, round_by=6)
        c.box(x - 15, 262, 30, 24, METAL, round_by=4)
        c.box(x - 8, 268, 16, 12, LEATHER)


def _backpack_front(c: Canvas, colour: Colour, style: int, *, wide: float) -> None:
    trim, shine = _trim(colour, style), lighter(colour, 0.14)
    pocket = 316 if style != 4 else 340
    c.box(400 - wide * 0.78, pocket, wide * 1.56, 496 - pocket, darker(colour, 0.1), round_by=30)
    c.box(
        400 - wide * 0.78,
        pocket,
        wide * 1.56,
        488 - pocket,
        shine if style != 2 else mix(colour, trim, 0.15),
        round_by=30,
    )
    c.curve(
        [
            (400 - wide * 0.66, pocket + 32),
            (400 - wide * 0.3, pocket + 20, 400 + wide * 0.3, pocket + 20, 400 + wide * 0.66, pocket + 32),
        ],
        darker(colour, 0.42),
        5,
    )
    c.box(400 + wide * 0.5, pocket + 28, 7, 28, METAL, round_by=3)
    if style in (1, 4):
        c.box(372, pocket - 62, 56, 34, trim, round_by=6)
        for x in (386, 408):
            c.box(x, pocket - 54, 6, 18, lighter(trim, 0.35), round_by=3)
    if style == 3:
        for y in (214, 246, 278):
            c.box(400 - wide * 0.74, y, wide * 1.48, 8, darker(colour, 0.3), round_by=4)
    c.box(380, 430, 40, 22, lighter(trim, 0.2), round_by=4)


def suitcase(c: Canvas, colour: Colour, style: int) -> None:
    shade = darker(colour, 0.2)
    wide, top = ((120, 150), (138, 170), (112, 130), (150, 196), (128, 160))[style - 1]
    c.shadow(400, 538, wide * 1.3)
    for side in (-1, 1):
        c.box(400 + side * 46 - 5, 52, 10, top - 40, METAL)
        c.box(400 + side * 46 + 1, 52, 4, top - 40, darker(METAL, 0.25))
        x = 400.0 + side * (wide - 30)
        c.box(x - 13, 502, 26, 20, DARK, round_by=5)
        c.disc(x, 526, 15, DARK)
        c.disc(x, 526, 6, METAL)
    c.box(344, 42, 112, 22, DARK, round_by=10)
    c.box(400 - wide, top, wide * 2, 510 - top, colour, round_by=(30, 22, 46, 26, 36)[style - 1])
    c.box(400 + wide * 0.62, top + 14, wide * 0.38, 482 - top, shade, round_by=22, alpha=120)
    if style in (1, 3, 5):
        for row in range(6):
            x = 400 - wide * 0.8 + row * wide * 1.6 / 5
            c.box(x - 5, top + 30, 10, 450 - top, shade, round_by=5)
            c.box(x - 5, top + 30, 4, 450 - top, lighter(colour, 0.22), round_by=2)
    elif style == 2:
        c.box(400 - wide + 20, top + 46, wide * 2 - 40, 120, lighter(colour, 0.12), round_by=16)
        c.box(400 - wide + 20, top + 184, wide * 2 - 40, 306 - top, lighter(colour, 0.12), round_by=16)
        for y in (top + 62, top + 200):
            c.curve(
                [(400 - wide + 34, y), (400, y - 6, 400, y - 6, 400 + wide - 34, y)], darker(colour, 0.45), 5
            )
            c.box(400 + wide - 60, y, 8, 24, METAL, round_by=3)
    else:
        for x in (400 - wide * 0.56, 400 + wide * 0.56):
            c.box(x - 15, top, 30, 510 - top, LEATHER)
            c.box(x - 20, 330, 40, 34, METAL, round_by=5)
            c.box(x - 10, 338, 20, 18, LEATHER)
        for x in (400 - wide, 400 + wide - 34):
            for y in (top, 476):
                c.box(x, y, 34, 34, LEATHER, round_by=14)
    c.box(360, top - 10, 80, 20, DARK, round_by=9)
    c.box(372, top - 5, 56, 8, lighter(DARK, 0.25), round_by=4)
    c.box(400 - 26, top + 24, 52, 20, METAL, round_by=5)
    c.box(400 - 20, top + 29, 40, 10, lighter(METAL, 0.5), round_by=3)
    c.box(400 - wide + 12, top + 26, 9, 380 - top, lighter(colour, 0.4), round_by=5, alpha=110)


def tent(c: Canvas, colour: Colour, style: int) -> None:
    c.shadow(400, 506, 330, flat=0.1)
    c.line([(90, 512), (160, 486)], DARK, 4)
    c.line([(710, 512), (640, 486)], DARK, 4)
    if style in (1, 4):
        _pyramid(c, colour, style)
    else:
        _dome(c, colour, style)
    c.box(124, 494, 552, 12, darker(colour, 0.4), round_by=6)
    for x in range(40, 780, 92):
        c.line([(x, 548), (x + 6, 534)], hexed("7f9a6a"), 4)
        c.line([(x + 12, 548), (x + 9, 530)], hexed("8fae6e"), 4)


def _pyramid(c: Canvas, colour: Colour, style: int) -> None:
    shade, shine, floor = darker(colour, 0.22), lighter(colour, 0.16), darker(colour, 0.5)
    top = 150 if style == 1 else 190
    c.line([(400, top + 6), (120, 508)], METAL, 3)
    c.line([(400, top + 6), (680, 508)], METAL, 3)
    c.area([(400, top), (660, 500), (140, 500)], colour)
    c.area([(400, top), (660, 500), (520, 500)], shade)
    c.area([(400, top + 60), (490, 500), (310, 500)], floor)
    c.shape(
        [(400, top + 60), (380, 300, 350, 420, 290, 500), (310, 500), (340, 420, 380, 300, 400, top + 60)],
        shine,
    )
    c.shape(
        [(400, top + 60), (430, 300, 470, 430, 530, 500), (490, 500), (440, 420, 420, 300, 400, top + 60)],
        lighter(colour, 0.3),
    )
    c.line([(400, top), (140, 500)], shine, 5)
    c.line([(400, top), (660, 500)], darker(colour, 0.35), 5)
    c.disc(400, top, 8, METAL)


def _dome(c: Canvas, colour: Colour, style: int) -> None:
    shade, shine, floor = darker(colour, 0.22), lighter(colour, 0.16), darker(colour, 0.5)
    high = {2: 190.0, 3: 240.0, 5: 214.0}[style]
    up = high - 70
    c.shape([(130, 500), (170, high - 70, 630, high - 70, 670, 500)], colour)
    c.shape(
        [
            (400, 125 + 0.75 * up),
            (525, (3 * up + 500) / 4, 650, (up + 500) / 2, 670, 500),
            (530, 500),
            (520, 360, 480, high + 40, 400, 125 + 0.75 * up),
        ],
        shade,
    )
    c.shape([(310, 500), (330, high + 60, 470, high + 60, 490, 500)], floor)
    c.shape(
        [(310, 500), (322, 380, 350, high + 96, 400, high + 80), (372, high + 150, 350, 400, 348, 500)], shine
    )
    c.curve([(130, 500), (170, high - 70, 630, high - 70, 670, 500)], METAL, 6)
    if style != 3:
        c.curve([(250, 500), (262, high + 60, 330, high + 20, 400, 125 + 0.75 * up)], METAL, 5)
    else:
        c.box(520, 350, 66, 52, lighter(colour, 0.55), round_by=10)
        c.box(551, 350, 4, 52, shade)
    if style == 5:
        c.shape(
            [
                (300, 500),
                (320, high + 50, 480, high + 50, 500, 500),
                (540, 512),
                (510, high + 20, 290, high + 20, 260, 512),
            ],
            lighter(colour, 0.28),
        )
