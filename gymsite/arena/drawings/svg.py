"""Drawing of SVG artwork on a canvas, in given colours.

The files in ``art`` use a small part of SVG and can be viewed in any browser: rect, circle, ellipse, polygon,
polyline and path (M, L, C, Z in absolute units, one segment per command), in groups. Shapes are filled or
stroked with ``#rrggbb``, ``var(--name)`` or ``color-mix(in srgb, A, B 20%)``. The root's style gives each
variable a default.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple, TypeAlias
from xml.etree import ElementTree as ET

from gymsite.arena.drawings.canvas import Canvas, Colour, mix, outline, parse_hex

ART = Path(__file__).parent / "art"
MIX = re.compile(r"color-mix\(in srgb, (.+), (.+) ([\d.]+)%\)")
DEFAULT = re.compile(r"--(\w+): (#\w+)")
VARIABLE = re.compile(r"var\(--(\w+)\)")

Paint: TypeAlias = Callable[[Mapping[str, Colour | None]], Colour | None]
Brush: TypeAlias = Callable[..., None]


class Artwork(NamedTuple):
    shapes: tuple[tuple[Brush, Paint], ...]
    defaults: dict[str, Colour]


def art_draw(c: Canvas, name: str, **colours: Colour | None) -> None:
    """Draw the file ``name`` (without ``.svg``) with a colour for each variable.

    Shapes whose colour is None are left out, such as the light of a lamp that is off.
    """
    for brush, paint in art(name).shapes:
        if colour := paint(colours):
            brush(c, colour=colour)


@cache
def art(name: str) -> Artwork:
    """Parse an artwork file, and cache the result."""
    root = ET.parse(ART / f"{name}.svg").getroot()  # noqa: S314 (our own file)
    shapes = (element for element in root.iterfind(".//*") if {"fill", "stroke"} & set(element.attrib))
    return Artwork(
        tuple((_brush(shape), _paint(shape.get("fill") or shape.attrib["stroke"])) for shape in shapes),
        {variable: parse_hex(text) for variable, text in DEFAULT.findall(root.attrib["style"])},
    )


def _brush(element: ET.Element) -> Brush:
    def number(name: str, default: float = 0) -> float:
        return float(element.get(name, default))

    alpha = round(255 * number("fill-opacity", 1) * number("stroke-opacity", 1))
    match element.tag.rpartition("}")[2]:
        case "rect":
            x, y, width, height = map(number, ("x", "y", "width", "height"))
            return partial(
                Canvas.box, x=x, y=y, width=width, height=height, round_by=number("rx"), alpha=alpha
            )
        case "circle":
            return partial(Canvas.disc, x=number("cx"), y=number("cy"), radius=number("r"), alpha=alpha)
        case "ellipse":
            cx, cy, rx, ry = map(number, ("cx", "cy", "rx", "ry"))
            return partial(Canvas.ellipse, cx=cx, cy=cy, rx=rx, ry=ry, alpha=alpha)
    points = outline(list(_pieces(element)))
    if "stroke" in element.attrib:
        return partial(Canvas.line, points=points, width=number("stroke-width"), alpha=alpha)
    return partial(Canvas.area, points=points, alpha=alpha)


def _pieces(element: ET.Element) -> Iterable[tuple[float, ...]]:
    for piece in element.get("points", "").split() or re.findall(r"[MLC]([^MLCZ]+)", element.get("d", "")):
        yield tuple(map(float, re.split(r"[ ,]+", piece.strip())))


def _paint(text: str) -> Paint:
    if variable := VARIABLE.fullmatch(text):
        return itemgetter(variable[1])
    if mixture := MIX.fullmatch(text):
        return partial(_mixed, _paint(mixture[1]), _paint(mixture[2]), float(mixture[3]) / 100)
    colour = parse_hex(text)
    return lambda _: colour


def _mixed(first: Paint, other: Paint, share: float, colours: Mapping[str, Colour | None]) -> Colour | None:
    mixed = first(colours), other(colours)
    return mix(mixed[0], mixed[1], share) if mixed[0] and mixed[1] else None
