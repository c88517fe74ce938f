"""Artwork: SVG files drawn on a canvas, in the colours given.

The files of ``art`` use a small part of SVG, and display in any browser: rect, circle, ellipse, polygon,
polyline and path (M, L, C, Z in absolute units, one segment per command), in groups. A shape is filled or
stroked with ``#rrggbb``, ``var(--name)`` or ``color-mix(in srgb, A, B 20%)``. The style of the root gives a
default for each name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from operator import itemgetter
from pathlib import Path
from typing import TypeAlias
from xml.etree import ElementTree as ET

from gymsite.arena.drawings.canvas import Canvas, Colour, hexed, mix, outline

ART = Path(__file__).parent / "art"
MIX = re.compile(r"color-mix\(in srgb, (.+), (.+) ([\d.]+)%\)")
VARIABLE = re.compile(r"var\(--(\w+)\)")

Paint: TypeAlias = Callable[[Mapping[str, Colour]], Colour]
Brush: TypeAlias = Callable[..., None]


def art_draw(c: Canvas, name: str, **colours: Colour) -> None:
    """Draw the file ``name`` (without ``.svg``) with a colour for each of its variables."""
    for brush, paint in _shapes(name):
        brush(c, colour=paint(colours))


@cache
def _shapes(name: str) -> tuple[tuple[Brush, Paint], ...]:
    root = ET.parse(ART / f"{name}.svg").getroot()  # noqa: S314 (our own file)
    shapes = (element for element in root.iterfind(".//*") if {"fill", "stroke"} & set(element.attrib))
    return tuple((_brush(shape), _paint(shape.get("fill") or shape.attrib["stroke"])) for shape in shapes)


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
        one, other, share = _paint(mixture[1]), _paint(mixture[2]), float(mixture[3]) / 100
        return lambda colours: mix(one(colours), other(colours), share)
    colour = hexed(text)
    return lambda _: colour
