"""Pictures for the hand-written samples, drawn on demand with the same bytes every time."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

LETTERS_SCALE = 2  # the built-in bitmap font is small, but the same on every machine
LEFT, RIGHT, TOP, BOTTOM = 90, 30, 60, 60
GRID, INK, FIRST, SECOND = "#d0d0d0", "#202020", "#33658a", "#b3541e"
CURVES = {
    "line": [value * 30 for value in range(8)],
    "root": [0, 80, 120, 147, 166, 182, 197, 210],
    "double": [2, 4, 8, 15, 30, 60, 120, 240],
}


class _Sheet:
    """A white sheet to draw and write on."""

    def __init__(self, width: int, height: int) -> None:
        from PIL import Image, ImageDraw

        self.image: Image.Image = Image.new("RGB", (width, height), "white")
        self.draw: ImageDraw.ImageDraw = ImageDraw.Draw(self.image)

    def write(self, text: str, *, centre: tuple[float, float]) -> None:
        from PIL import Image, ImageDraw, ImageFont

        font = ImageFont.load_default_imagefont()
        left, top, right, bottom = (int(side) for side in font.getbbox(text))
        letters = Image.new("L", (right - left, bottom - top), 0)
        ImageDraw.Draw(letters).text((-left, -top), text, fill=255, font=font)
        size = (letters.width * LETTERS_SCALE, letters.height * LETTERS_SCALE)
        corner = (int(centre[0] - size[0] / 2), int(centre[1] - size[1] / 2))
        mask = letters.resize(size, Image.Resampling.NEAREST)
        self.image.paste(INK, (*corner, corner[0] + size[0], corner[1] + size[1]), mask)

    def png(self) -> bytes:
        encoded = io.BytesIO()
        self.image.save(encoded, "PNG")
        return encoded.getvalue()


def chart(
    title: str, *, points: Sequence[tuple[str, int]], step: int, form: Literal["bars", "line"] = "bars"
) -> bytes:
    """A chart labelled with its values; ``step`` is the distance between grid lines."""
    width, height = 760, 460
    sheet = _Sheet(width, height)
    sheet.write(title, centre=(width / 2, TOP / 2))
    lines = -(-max(value for _, value in points) // step)
    unit = (height - TOP - BOTTOM) / (lines * step)
    ground = height - BOTTOM
    for line in range(lines + 1):
        level = round(ground - line * step * unit)
        sheet.draw.line([(LEFT, level), (width - RIGHT, level)], fill=GRID if line else INK, width=2)
        sheet.write(str(line * step), centre=(LEFT / 2, level))
    room = (width - LEFT - RIGHT) / len(points)
    tops = [
        (round(LEFT + (n + 0.5) * room), round(ground - value * unit)) for n, (_, value) in enumerate(points)
    ]
    for (name, value), (middle, top) in zip(points, tops, strict=True):
        if form == "bars":
            edge = round(room * 0.3)
            sheet.draw.rectangle([(middle - edge, top), (middle + edge, ground - 2)], fill=FIRST)
        else:
            sheet.draw.ellipse([(middle - 6, top - 6), (middle + 6, top + 6)], fill=SECOND)
        sheet.write(str(value), centre=(middle, top - 18))
        sheet.write(name, centre=(middle, ground + BOTTOM / 2))
    if form == "line":
        sheet.draw.line(tops, fill=SECOND, width=3)
    return sheet.png()


def table(rows: Sequence[Sequence[str]]) -> bytes:
    cell_width, cell_height = 170, 44
    sheet = _Sheet(cell_width * len(rows[0]) + 2, cell_height * len(rows) + 2)
    for line, row in enumerate(rows):
        for column, text in enumerate(row):
            corner = (column * cell_width, line * cell_height)
            end = (corner[0] + cell_width, corner[1] + cell_height)
            sheet.draw.rectangle([corner, end], outline=INK, fill="white" if line else GRID)
            sheet.write(text, centre=((corner[0] + end[0]) / 2, (corner[1] + end[1]) / 2))
    return sheet.png()


def plots() -> bytes:
    """Two rectangles on a grid, P of 3 by 4 squares and Q of 7 by 2."""
    side = 40
    sheet = _Sheet(14 * side + 1, 6 * side + 1)
    for name, place in (("P", (1, 1, 4, 5)), ("Q", (6, 2, 13, 4))):
        left, top, right, bottom = (value * side for value in place)
        sheet.draw.rectangle([(left, top), (right, bottom)], fill="#a8c8a0")
        sheet.write(name, centre=((left + right) / 2, (top + bottom) / 2))
    for line in range(15):
        sheet.draw.line([(line * side, 0), (line * side, 6 * side)], fill=INK)
    for line in range(7):
        sheet.draw.line([(0, line * side), (14 * side, line * side)], fill=INK)
    return sheet.png()


def curve(form: str) -> bytes:
    """A graph without numbers: a straight ``line``, a ``root`` that flattens, or one that ``double``s."""
    sheet = _Sheet(300, 300)
    sheet.draw.line([(30, 10), (30, 270), (290, 270)], fill=INK, width=3)
    points = [(30 + 35 * day, 270 - value) for day, value in enumerate(CURVES[form])]
    sheet.draw.line(points, fill=FIRST, width=4, joint="curve")
    sheet.write("days", centre=(160, 286))
    return sheet.png()


def circuit() -> bytes:
    """A voltage source with two resistors in parallel."""
    sheet = _Sheet(460, 260)
    sheet.draw.line([(60, 40), (400, 40)], fill=INK, width=3)
    sheet.draw.line([(60, 220), (400, 220)], fill=INK, width=3)
    for middle, name in ((230, "R1"), (400, "R2")):
        sheet.draw.line([(middle, 40), (middle, 220)], fill=INK, width=3)
        sheet.draw.rectangle([(middle - 16, 85), (middle + 16, 175)], fill="white", outline=INK, width=3)
        sheet.write(name, centre=(middle - 45, 130))
    sheet.draw.line([(60, 40), (60, 220)], fill=INK, width=3)
    sheet.draw.ellipse([(35, 105), (85, 155)], fill="white", outline=INK, width=3)
    sheet.write("U", centre=(60, 130))
    return sheet.png()


def prices() -> bytes:
    rows = [("Lamp", "Price"), ("Desk", "$40"), ("Floor", "$90"), ("Wall", "$25"), ("Garden", "$60")]
    return table([*rows, ("String", "$15")])


def sales() -> bytes:
    points = [("Desk", 30), ("Floor", 10), ("Wall", 45), ("Garden", 25), ("String", 60)]
    return chart("Lamps sold in May", points=points, step=10)


def visitors() -> bytes:
    days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    counts = (120, 95, 140, 205, 165, 310, 280)
    return chart("Visitors of the town museum", points=list(zip(days, counts, strict=True)), step=50)


def catches() -> bytes:
    tons = ((2014, 62), (2015, 58), (2016, 47), (2017, 39), (2018, 44), (2019, 51), (2020, 60))
    points = [(str(year), value) for year, value in tons]
    return chart("Fish caught in the lake, tons", points=points, step=10, form="line")
