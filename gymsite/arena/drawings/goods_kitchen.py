"""Kettles, air fryers, lamps and chairs; ``style`` 1 to 5 is the shape."""

from __future__ import annotations

import math

from gymsite.arena.drawings.canvas import Canvas, Colour, darker, hexed, lighter

METAL = hexed("c3c8cc")
DARK = hexed("3a3e44")
WOOD = hexed("a87a52")
GLOW = hexed("ffe3a3")


def kettle(c: Canvas, colour: Colour, style: int) -> None:
    shine = lighter(colour, 0.3)
    handle = WOOD if style in (2, 5) else DARK
    c.shadow(400, 516, 190)
    c.box(266, 488, 268, 26, DARK, round_by=10)
    c.box(282, 480, 236, 14, METAL, round_by=6)
    if style in (1, 4):
        _tall_kettle(c, colour, handle)
    elif style in (2, 5):
        _stove_kettle(c, colour, handle)
    else:
        _goose_kettle(c, colour, handle)
    c.curve([(318, 440), (312, 380, 326, 300, 346, 256)], shine, 12)
    if style in (1, 3, 4):
        c.box(424, 440, 34, 12, METAL, round_by=6)
        c.disc(441, 446, 4, hexed("d0574a"))
    for puff, x in enumerate((214, 200, 222)):
        if style != 4:
            y = 176 - puff * 34
            c.curve(
                [(x, y), (x - 16, y - 12, x + 16, y - 20, x, y - 32)],
                hexed("ffffff"),
                7,
                alpha=150 - puff * 36,
            )


def _tall_kettle(c: Canvas, colour: Colour, handle: Colour) -> None:
    shade = darker(colour, 0.2)
    c.curve([(500, 220), (610, 214, 614, 430, 510, 440)], handle, 26)
    c.shape([(306, 250), (262, 240, 236, 210, 222, 196), (250, 190), (280, 196, 300, 200, 316, 214)], shade)
    c.shape([(284, 484), (290, 380, 300, 250, 320, 178), (480, 178), (500, 250, 510, 380, 516, 484)], colour)
    c.shape(
        [(450, 178), (480, 178), (500, 250, 510, 380, 516, 484), (470, 484), (472, 380, 466, 250, 450, 178)],
        shade,
    )
    c.box(316, 160, 168, 26, METAL, round_by=10)
    c.box(384, 134, 32, 28, handle, round_by=10)


def _stove_kettle(c: Canvas, colour: Colour, handle: Colour) -> None:
    shade = darker(colour, 0.2)
    c.curve([(300, 210), (300, 80, 500, 80, 500, 210)], handle, 22)
    c.shape([(300, 330), (230, 320, 220, 250, 186, 226), (206, 212), (252, 220, 270, 270, 330, 270)], shade)
    c.shape([(260, 484), (220, 380, 280, 216, 400, 214), (520, 216, 580, 380, 540, 484)], colour)
    c.shape([(452, 226), (560, 280, 566, 400, 540, 484), (480, 484), (510, 400, 520, 290, 452, 226)], shade)
    c.disc(400, 216, 76, METAL, flat=0.24)
    c.disc(400, 194, 16, handle)


def _goose_kettle(c: Canvas, colour: Colour, handle: Colour) -> None:
    shade = darker(colour, 0.2)
    c.curve([(492, 250), (600, 226, 600, 420, 500, 428)], handle, 20)
    c.curve([(300, 440), (210, 430, 262, 262, 196, 226)], shade, 18)
    c.shape([(290, 484), (270, 400, 300, 300, 340, 236), (460, 236), (500, 300, 530, 400, 510, 484)], colour)
    c.shape(
        [(436, 236), (460, 236), (500, 300, 530, 400, 510, 484), (464, 484), (486, 400, 470, 300, 436, 236)],
        shade,
    )
    c.disc(400, 236, 62, METAL, flat=0.26)
    c.box(388, 190, 24, 40, handle, round_by=10)


def air_fryer(c: Canvas, colour: Colour, style: int) -> None:
    shade, shine = darker(colour, 0.2), lighter(colour, 0.3)
    wide = (146, 160, 138, 176, 150)[style - 1]
    c.shadow(400, 518, wide * 1.25)
    c.box(400 - wide + 26, 500, wide * 2 - 52, 16, DARK, round_by=6)
    if style in (1, 3, 5):
        c.shape(
            [
                (400 - wide, 490),
                (400 - wide - 10, 330, 400 - wide + 24, 128, 400, 126),
                (400 + wide - 24, 128, 400 + wide + 10, 330, 400 + wide, 490),
                (400 + wide - 10, 508, 400 - wide + 10, 508, 400 - wide, 490),
            ],
            colour,
        )
        c.shape(
            [
                (400 + wide * 0.4, 142),
                (400 + wide - 10, 190, 400 + wide + 6, 360, 400 + wide, 490),
                (400 + wide - 8, 504, 400 + wide * 0.74, 504, 400 + wide * 0.7, 504),
                (400 + wide * 0.8, 340, 400 + wide * 0.7, 220, 400 + wide * 0.4, 142),
            ],
            shade,
        )
    else:
        c.box(400 - wide, 136, wide * 2, 370, colour, round_by=44)
        c.box(400 + wide - 52, 150, 52, 344, shade, round_by=26)
    c.box(400 - wide * 0.6, 168, wide * 1.2, 84, DARK, round_by=24)
    _fryer_panel(c, style, wide=wide)
    c.box(400 - wide * 0.84, 278, wide * 1.68, 196, darker(colour, 0.09), round_by=34)
    c.box(400 - wide * 0.84, 278, wide * 1.68, 188, lighter(colour, 0.08), round_by=34)
    if style == 4:
        c.box(400 - wide * 0.5, 300, wide, 74, hexed("f0b45c"), round_by=16)
        c.box(400 - wide * 0.5, 300, wide, 74, DARK, round_by=16, alpha=120)
    c.box(372, 356, 56, 96, DARK, round_by=18)
    c.box(380, 364, 40, 64, lighter(DARK, 0.16), round_by=14)
    c.box(400 - wide * 0.78, 300, 9, 130, shine, round_by=4, alpha=150)


def _fryer_panel(c: Canvas, style: int, *, wide: float) -> None:
    if style in (1, 4):
        c.box(400 - 44, 186, 88, 34, hexed("20262c"), round_by=8)
        for x in (372, 392, 416):
            c.box(x, 194, 12, 18, hexed("8fd6c8"), round_by=3)
        for share in (-0.46, 0.4):
            c.disc(400 + wide * share + 4, 210, 11, lighter(DARK, 0.3))
    else:
        for share in (-0.3, 0.3):
            c.disc(400 + wide * share, 210, 30, METAL)
            c.disc(400 + wide * share, 210, 22, darker(METAL, 0.2))
            c.line([(400 + wide * share, 210), (400 + wide * share + 10, 194)], hexed("ffffff"), 5)


def desk_lamp(c: Canvas, colour: Colour, style: int) -> None:
    shade = darker(colour, 0.22)
    c.shadow(330, 512, 130)
    arm = METAL if style in (1, 3) else (WOOD if style == 5 else darker(colour, 0.35))
    c.disc(320, 500, 104, darker(colour, 0.3), flat=0.19)
    c.disc(320, 490, 104, colour, flat=0.19)
    if style in (1, 5):
        knee, head = (246, 330), (452, 176)
        c.line([(320, 488), knee], arm, 15)
        c.line([knee, head], arm, 15)
        c.line([(334, 480), (262, 330)], darker(arm, 0.2), 4)
        for joint in (knee, head, (320, 484)):
            c.disc(*joint, 16, DARK)
            c.disc(*joint, 7, METAL)
        _shade_of_lamp(c, colour, shade, x=head[0], y=head[1], turn=28)
    elif style in (2, 4):
        c.curve([(320, 488), (310, 300, 300, 120, 470, 150)], arm, 15)
        _shade_of_lamp(c, colour, shade, x=470, y=154, turn=8 if style == 4 else 20)
    else:
        c.box(312, 150, 16, 340, arm)
        c.box(300, 130, 280, 30, colour, round_by=14)
        c.box(300, 146, 280, 14, shade, round_by=7)
        c.box(330, 158, 236, 8, GLOW, round_by=4)
        c.area([(330, 166), (566, 166), (650, 470), (320, 470)], GLOW, alpha=70)
    c.disc(290, 486, 9, lighter(colour, 0.5), flat=0.4)


def _shade_of_lamp(c: Canvas, colour: Colour, shade: Colour, *, x: float, y: float, turn: float) -> None:
    """A bell that hangs from ``x``, ``y``, turned by so many degrees."""
    angle = math.radians(turn)

    def at(across: float, down: float) -> tuple[float, float]:
        return x + across * math.cos(angle) + down * math.sin(angle), y - across * math.sin(
            angle
        ) + down * math.cos(angle)

    def bell(pieces: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
        return [
            tuple(value for step in range(0, len(one), 2) for value in at(one[step], one[step + 1]))
            for one in pieces
        ]

    c.area([at(-74, 116), at(74, 116), at(170, 340), at(-170, 340)], GLOW, alpha=64)
    c.shape(
        bell([(-26, -10), (26, -10), (40, 30, 84, 60, 92, 112), (-92, 112), (-84, 60, -40, 30, -26, -10)]),
        colour,
    )
    c.shape(
        bell([(6, -10), (26, -10), (40, 30, 84, 60, 92, 112), (44, 112), (44, 60, 20, 30, 6, -10)]), shade
    )
    c.shape(bell([(-84, 108), (84, 108), (60, 128, -60, 128, -84, 108)]), GLOW)
    c.line([at(-92, 112), at(92, 112)], darker(colour, 0.3), 5)
    c.area([at(-18, -34), at(18, -34), at(26, -8), at(-26, -8)], DARK)


def office_chair(c: Canvas, colour: Colour, style: int) -> None:
    shade, shine = darker(colour, 0.2), lighter(colour, 0.14)
    c.shadow(400, 546, 190, flat=0.12)
    _chair_foot(c)
    high = (92, 120, 70, 104, 150)[style - 1]
    wide = (108, 96, 112, 120, 104)[style - 1]
    for side in (-1, 1):
        if style != 5:
            c.curve(
                [
                    (400 + side * 104, 400),
                    (400 + side * 172, 400, 400 + side * 164, 360, 400 + side * 162, 312),
                ],
                DARK,
                13,
            )
            c.box(400 + side * 162 - 34, 298, 68, 18, DARK, round_by=9)
    if style in (1, 3):
        c.box(400 - 52, high - 36, 104, 52, shade, round_by=22)
        c.box(392, high, 16, 60, DARK)
    c.shape(
        [
            (400 - wide, 330),
            (400 - wide - 16, 240, 400 - wide + 6, high, 400 - wide * 0.5, high),
            (400 + wide * 0.5, high),
            (400 + wide - 6, high, 400 + wide + 16, 240, 400 + wide, 330),
            (400 + wide - 10, 362, 400 - wide + 10, 362, 400 - wide, 330),
        ],
        colour,
    )
    _chair_back(c, colour, style, high=high, wide=wide)
    c.box(268, 366, 264, 52, shade, round_by=24)
    c.box(268, 356, 264, 44, colour, round_by=22)
    c.box(292, 362, 216, 14, shine, round_by=7)


def _chair_foot(c: Canvas) -> None:
    for x in (250, 318, 400, 482, 550):
        down = 536 if x in (250, 550) else (552 if x != 400 else 560)
        c.line([(400, 482), (x, down - 16)], DARK, 13)
        c.disc(x, down, 13, darker(DARK, 0.3))
        c.disc(x, down, 5, METAL)
    c.box(388, 400, 24, 92, METAL)
    c.box(402, 400, 10, 92, darker(METAL, 0.25))
    c.box(380, 440, 40, 54, DARK, round_by=6)


def _chair_back(c: Canvas, colour: Colour, style: int, *, high: int, wide: int) -> None:
    shine = lighter(colour, 0.14)
    if style in (1, 4):
        mesh = lighter(colour, 0.22)
        for row in range(int((330 - high - 40) / 18)):
            c.box(400 - wide * 0.74, high + 34 + row * 18, wide * 1.48, 7, mesh, round_by=3)
    elif style in (2, 5):
        for row in range(3):
            y = high + 24 + row * (310 - high) / 3
            c.box(400 - wide * 0.8, y, wide * 1.6, (310 - high) / 3 - 12, shine, round_by=20)
    else:
        c.box(400 - wide * 0.72, high + 34, wide * 1.44, 110, shine, round_by=30)
        c.box(400 - wide * 0.72, high + 156, wide * 1.44, 84, shine, round_by=30)
