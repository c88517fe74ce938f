"""The artwork: valid SVG that displays by itself, and no more of SVG than ``drawings.svg`` can draw."""

from __future__ import annotations

import re
from typing import get_args
from xml.etree import ElementTree as ET

from gymsite.arena.drawings.canvas import Canvas
from gymsite.arena.drawings.goods import COLOURS
from gymsite.arena.drawings.svg import ART, art_draw
from tasks_app.worlds.editions import Edition
from tasks_app.worlds.reviews import vocabulary
from tasks_app.worlds.reviews.pictures import STYLES

ROOTS = {file: ET.parse(file).getroot() for file in sorted(ART.rglob("*.svg"))}
VOCABULARIES = [vocabulary.load_vocabulary(edition) for edition in get_args(Edition)]
NUMBER = r"-?\d+(\.\d+)?"
PAIR = f"{NUMBER},{NUMBER}"
HEX = "#[0-9a-f]{6}"
PLAIN = rf"({HEX}|var\(--\w+\))"
MIXED = (
    rf"color-mix\(in srgb, ({PLAIN}|color-mix\(in srgb, {PLAIN}, {PLAIN} {NUMBER}%\)), {PLAIN} {NUMBER}%\)"
)
ATTRIBUTES = {
    "fill": f"{PLAIN}|{MIXED}",
    "stroke": f"{PLAIN}|{MIXED}",
    "fill-opacity": r"0\.\d+",
    "stroke-opacity": r"0\.\d+",
    "stroke-linecap": "butt",
    "points": f"{PAIR}( {PAIR})+",
    "d": f"M{PAIR}( L{PAIR}| C{PAIR} {PAIR} {PAIR})+( Z)?",
}
TAGS = {
    "rect": ({"x", "y", "width", "height"}, {"rx"}),
    "circle": ({"cx", "cy", "r"}, set()),
    "ellipse": ({"cx", "cy", "rx", "ry"}, set()),
    "polygon": ({"points"}, set()),
    "polyline": ({"points", "stroke", "stroke-width"}, set()),
    "path": ({"d"}, {"stroke-width"}),
}
"""The attributes that a tag must have, and the others that it may have."""


def tag(element: ET.Element) -> str:
    return element.tag.removeprefix("{http://www.w3.org/2000/svg}")


def defaults(root: ET.Element) -> dict[str, str]:
    return dict(re.findall(rf"--(\w+): ({HEX})", root.attrib["style"]))


def test_artwork_uses_only_what_the_canvas_can_draw() -> None:
    for file, root in ROOTS.items():
        assert tag(root) == "svg", file
        assert re.fullmatch(r"(-?\d+ ){3}\d+", root.attrib["viewBox"]), file
        assert root.attrib["fill"] == "none", file
        for element in root.iterfind(".//*"):
            assert can_draw(element), (file, ET.tostring(element))


def can_draw(element: ET.Element) -> bool:
    given = set(element.attrib)
    if tag(element) == "g":
        return given <= {"id"}
    needed, optional = TAGS[tag(element)]
    return (
        len(given & {"fill", "stroke"}) == 1
        and needed <= given <= needed | optional | set(ATTRIBUTES) - {"points", "d"}
        and all(re.fullmatch(ATTRIBUTES.get(name, NUMBER), value) for name, value in element.items())
    )


def test_every_colour_of_artwork_has_a_default_and_is_used() -> None:
    for file, root in ROOTS.items():
        assert set(re.findall(r"var\(--(\w+)\)", file.read_text())) == set(defaults(root)), file


def test_artwork_leaves_something_on_the_canvas() -> None:
    for file, root in ROOTS.items():
        colours = {name: (int(text[1:3], 16),) * 3 for name, text in defaults(root).items()}
        canvas = Canvas(width=80)
        art_draw(canvas, str(file.relative_to(ART).with_suffix("")), **colours)
        assert len(canvas.picture().getcolors(80 * 60) or ()) > 3, file


def test_each_good_has_its_styles_and_no_others() -> None:
    expected = {
        f"{category}-{style}"
        for words in VOCABULARIES
        for category in words.categories
        for style in range(1, STYLES + 1)
    }
    assert {file.stem for file in (ART / "goods").glob("*.svg")} == expected


def test_each_colour_that_a_good_is_sold_in_can_be_drawn() -> None:
    assert {colour for words in VOCABULARIES for colour in words.catalogue.colours} == set(COLOURS)
