"""Headphones, shoes, helmets and toothbrushes; ``style`` 1 to 5 is the shape."""

from __future__ import annotations

from collections.abc import Sequence

from gymsite.arena.drawings.canvas import Canvas, Colour, Piece, darker, hexed, lighter

METAL = hexed("c3c8cc")
DARK = hexed("3a3e44")
WHITE = hexed("f6f4ef")
FOAM = hexed("4a4e55")


def headphones(c: Canvas, colour: Colour, style: int) -> None:
    c.shadow(400, 492, 220, flat=0.1)
    top = (92, 110, 80, 104, 96)[style - 1]
    band = METAL if style in (2, 5) else colour
    c.curve(
        [(252, 350), (216, top - 30, 584, top - 30, 548, 350)], darker(band, 0.15), 30 if style != 5 else 16
    )
    c.curve([(254, 340), (224, top - 24, 576, top - 24, 546, 340)], band, 20 if style != 5 else 9)
    c.curve([(300, 214), (340, top + 48, 460, top + 48, 500, 214)], FOAM, 22)
    high, wide = ((150, 92), (136, 104), (160, 84), (144, 100), (128, 108))[style - 1]
    for side in (-1, 1):
        x = 400 + side * 158
        c.box(x - 9, 290, 18, 70, METAL, round_by=6)
        _ear(c, colour, style, x=x, side=side, high=high, wide=wide)
    if style in (3, 4):
        c.curve([(228, 450), (236, 520, 300, 520, 330, 496)], DARK, 8)
        c.box(316, 486, 42, 18, DARK, round_by=9)


def _ear(c: Canvas, colour: Colour, style: int, *, x: float, side: int, high: float, wide: float) -> None:
    shade, shine = darker(colour, 0.22), lighter(colour, 0.3)
    inner = x - side * 44
    c.box(inner - 30, 394 - high / 2, 60, high, FOAM, round_by=28)
    c.box(
        inner - 30 if side > 0 else inner + 8,
        394 - high / 2 + 10,
        22,
        high - 20,
        lighter(FOAM, 0.14),
        round_by=11,
    )
    left = x - wide / 2 + side * 12
    c.box(left, 394 - high / 2 - 6, wide, high + 12, colour, round_by=(40, 52, 30, 46, 54)[style - 1])
    c.box(
        left + (wide * 0.62 if side > 0 else 0), 394 - high / 2 + 4, wide * 0.38, high - 8, shade, round_by=18
    )
    c.disc(left + wide / 2 + side * 4, 394, wide * 0.26, lighter(colour, 0.12))
    if style in (1, 4):
        c.disc(left + wide / 2 + side * 4, 394, wide * 0.16, METAL)
    c.box(left + 12, 394 - high / 2 + 14, 8, high * 0.5, shine, round_by=4, alpha=170)


def _sole(c: Canvas, sole: Colour, style: int) -> None:
    thick = (44, 58, 36, 50, 40)[style - 1]
    c.shape(
        [
            (136, 452),
            (140, 430, 150, 420, 170, 424),
            (660, 424),
            (690, 424, 704, 440, 690, 470),
            (670, 496, 640, 452 + thick, 600, 452 + thick),
            (170, 452 + thick),
            (140, 452 + thick, 130, 480, 136, 452),
        ],
        sole,
    )
    for x in range(170, 640, 30):
        c.box(x, 452 + thick - 9, 17, 10, DARK, round_by=4)


def running_shoe(c: Canvas, colour: Colour, style: int) -> None:
    shade = darker(colour, 0.2)
    sole = WHITE if style in (1, 2, 4) else darker(colour, 0.45)
    c.shadow(400, 500, 300, flat=0.09)
    _sole(c, sole, style)
    c.shape(
        _low(
            [
                (146, 436),
                (140, 340, 150, 280, 166, 232),
                (180, 212, 220, 232, 250, 226),
                (280, 220, 300, 204, 330, 190),
                (380, 260, 470, 330, 560, 350),
                (640, 364, 690, 390, 686, 436),
            ]
        ),
        colour,
    )
    c.shape(
        _low(
            [
                (146, 436),
                (140, 340, 150, 280, 166, 232),
                (180, 226, 196, 228, 204, 232),
                (190, 320, 210, 390, 260, 436),
            ]
        ),
        shade,
    )
    c.shape(
        _low([(560, 350), (640, 364, 690, 390, 686, 436), (560, 436), (540, 410, 540, 370, 560, 350)]), shade
    )
    _shoe_collar(c, colour)
    _shoe_marks(c, colour, style)
    c.curve([(150, 440), (300, 446, 500, 446, 684, 440)], darker(colour, 0.34), 6)
    c.box(160, 456, 470, 6, darker(sole, 0.1), round_by=3)


def _shoe_collar(c: Canvas, colour: Colour) -> None:
    shine = lighter(colour, 0.2)
    c.shape(
        _low([(176, 226), (210, 244, 290, 216, 330, 190), (338, 204), (300, 232, 220, 262, 170, 246)]),
        darker(colour, 0.45),
    )
    c.shape(
        _low(
            [
                (318, 206),
                (330, 170, 350, 170, 362, 184),
                (420, 260, 490, 310, 556, 340),
                (530, 360),
                (440, 330, 360, 270, 318, 206),
            ]
        ),
        shine,
    )


def _shoe_marks(c: Canvas, colour: Colour, style: int) -> None:
    mark = lighter(colour, 0.62) if style != 5 else darker(colour, 0.5)
    for lace in range(5):
        x, y = 356 + lace * 38, 216 + lace * 27
        c.curve(_low([(x - 18, y + 22), (x + 18, y - 6)]), WHITE, 7)
    if style in (1, 3):
        c.shape(
            _low([(230, 420), (300, 380, 380, 350, 420, 310), (440, 330), (410, 376, 350, 416, 300, 430)]),
            mark,
        )
    elif style in (2, 5):
        for stripe in range(3):
            x = 300 + stripe * 44
            c.shape(
                _low([(x, 424), (x + 20, 424), (x + 66, 318 + stripe * 16), (x + 50, 308 + stripe * 16)]),
                mark,
            )
    else:
        c.curve(_low([(220, 380), (320, 420, 420, 330, 520, 400)]), mark, 14)


def _low(pieces: Sequence[Piece]) -> list[Piece]:
    """The upper of a shoe, pressed down to its sole."""
    return [
        tuple(436 - (436 - value) * 0.76 if place % 2 else value for place, value in enumerate(piece))
        for piece in pieces
    ]


def bicycle_helmet(c: Canvas, colour: Colour, style: int) -> None:
    shade, shine = darker(colour, 0.22), lighter(colour, 0.25)
    c.shadow(400, 506, 240, flat=0.1)
    c.curve([(270, 400), (300, 480, 350, 516, 392, 506)], DARK, 11)
    c.curve([(520, 402), (490, 470, 440, 512, 392, 506)], DARK, 11)
    c.box(372, 494, 44, 24, METAL, round_by=7)
    c.shape(
        [
            (158, 392),
            (150, 220, 280, 112, 430, 116),
            (580, 122, 664, 240, 660, 374),
            (640, 410, 560, 404, 500, 414),
            (400, 430, 260, 434, 190, 424),
            (168, 420, 158, 410, 158, 392),
        ],
        colour,
    )
    c.shape(
        [
            (158, 392),
            (200, 404, 560, 390, 660, 360),
            (660, 374),
            (640, 410, 560, 404, 500, 414),
            (400, 430, 260, 434, 190, 424),
            (168, 420, 158, 410, 158, 392),
        ],
        shade,
    )
    _helmet_holes(c, colour, style)
    c.curve([(196, 300), (220, 210, 300, 150, 400, 142)], shine, 12)
    if style in (3, 5):
        c.shape(
            [(600, 300), (680, 320, 740, 360, 744, 392), (700, 394, 650, 384, 610, 384)], darker(colour, 0.4)
        )
    c.box(560, 386, 66, 10, METAL, round_by=5)


def _helmet_holes(c: Canvas, colour: Colour, style: int) -> None:
    hole = darker(colour, 0.72)
    if style in (1, 4):
        for number, (x, y, long) in enumerate(
            ((250, 320, 150), (330, 236, 190), (420, 196, 190), (520, 236, 120))
        ):
            lean = -18 + number * 14
            c.shape(
                [
                    (x, y),
                    (x + 30, y - 24, x + 60, y - 20, x + 66 + lean, y + 10),
                    (x + 60 + lean, y + long * 0.5, x + 34, y + long * 0.66, x + 14, y + long * 0.6),
                    (x - 4, y + long * 0.4, x - 8, y + 30, x, y),
                ],
                hole,
            )
    elif style in (2, 5):
        for number in range(3):
            y = 190 + number * 62
            c.shape(
                [
                    (250 - number * 26, y + 36),
                    (330, y - 10, 480, y - 16, 580 + number * 14, y + 30),
                    (560, y + 44, 480, y + 14, 420, y + 16),
                    (340, y + 20, 280, y + 50, 250 - number * 26, y + 36),
                ],
                hole,
            )
    else:
        for x in (290, 366, 442, 518):
            c.disc(x + 16, 216, 19, hole, flat=1.3)
            c.disc(x - 6, 292, 19, hole, flat=1.3)


def electric_toothbrush(c: Canvas, colour: Colour, style: int) -> None:
    shade, shine = darker(colour, 0.2), lighter(colour, 0.4)
    x = 360
    c.shadow(x, 524, 120, flat=0.16)
    c.box(x - 66, 494, 132, 30, WHITE if style != 4 else DARK, round_by=12)
    c.box(x - 50, 484, 100, 16, METAL, round_by=7)
    wide = (44, 40, 48, 42, 38)[style - 1]
    c.shape(
        [
            (x - 11, 210),
            (x + 11, 210),
            (x + 13, 250, x + wide * 0.9, 250, x + wide, 310),
            (x + wide + 4, 400, x + wide, 450, x + wide * 0.86, 490),
            (x - wide * 0.86, 490),
            (x - wide, 450, x - wide - 4, 400, x - wide, 310),
            (x - wide * 0.9, 250, x - 13, 250, x - 11, 210),
        ],
        colour,
    )
    c.shape(
        [
            (x + 11, 212),
            (x + 13, 250, x + wide * 0.9, 250, x + wide, 310),
            (x + wide + 4, 400, x + wide, 450, x + wide * 0.86, 490),
            (x + wide * 0.4, 490),
            (x + wide * 0.5, 400, x + wide * 0.5, 300, x + 4, 240),
        ],
        shade,
    )
    c.box(x - wide * 0.7, 300, 8, 150, shine, round_by=4)
    if style in (2, 5):
        c.box(x - wide, 400, wide * 2, 10, METAL)
    _buttons(c, colour, style, x=x)
    c.box(x - 9, 118, 18, 96, WHITE)
    c.box(x + 2, 118, 7, 96, darker(WHITE, 0.12))
    c.box(x - 13, 200, 26, 12, lighter(colour, 0.25), round_by=4)
    _bristles(c, colour, style, x=x, y=104)
    _spare_heads(c, colour, style)


def _buttons(c: Canvas, colour: Colour, style: int, *, x: float) -> None:
    c.box(x - 15, 312, 30, 62, WHITE, round_by=15)
    c.disc(x, 330, 8, colour)
    for light in range(3):
        c.disc(x, 400 + light * 20 + (20 if style in (2, 5) else 0), 4, WHITE if light else hexed("8fd6a8"))


def _spare_heads(c: Canvas, colour: Colour, style: int) -> None:
    c.box(508, 470, 92, 44, WHITE, round_by=12)
    c.box(514, 476, 80, 10, darker(WHITE, 0.1), round_by=5)
    for spare in (530, 566):
        c.box(spare - 6, 396, 12, 78, WHITE)
        c.box(spare - 9, 462, 18, 10, lighter(colour, 0.25), round_by=3)
        _bristles(c, colour, style, x=spare, y=388, size=0.66)


def _bristles(c: Canvas, colour: Colour, style: int, *, x: float, y: float, size: float = 1) -> None:
    if style in (1, 4):
        c.disc(x, y, 30 * size, WHITE)
        c.disc(x, y, 23 * size, lighter(colour, 0.35))
        c.disc(x, y, 13 * size, WHITE)
        return
    c.box(x - 17 * size, y - 44 * size, 34 * size, 82 * size, WHITE, round_by=15 * size)
    for row in range(4):
        tint = lighter(colour, 0.35) if row % 2 else METAL
        c.box(x - 11 * size, y - 36 * size + row * 17 * size, 22 * size, 12 * size, tint, round_by=4 * size)
