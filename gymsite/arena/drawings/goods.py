"""The shop's pictures by name: a product in its colour, on a plain background.

The products are artwork: ``art/goods/<category>-<style>.svg``.
"""

from __future__ import annotations

from PIL import Image

from core.draws import Draws
from core.text.toml import toml_load
from gymsite.arena.drawings.canvas import (
    HEIGHT,
    WIDTH,
    Canvas,
    Colour,
    Drawing,
    darker,
    lighter,
    mix,
    parse_hex,
    parse_palette,
)
from gymsite.arena.drawings.svg import ART, art_draw
from tasks_app.worlds.reviews.pictures import Picture, picture_read

COLOURS = {
    name: parse_hex(text) for name, text in toml_load(ART / "goods/colours.toml", dict[str, str]).items()
}
GROUNDS = parse_palette("dfe5e3 ece3d6 dde3ea e8dfdf e3e6d9")
SHADE = parse_hex("5f7683")
PALE = 620
"""A colour counts as pale if its red, green and blue add up to more than this."""


def drawing(name: str) -> Drawing | None:
    """Return the function that draws the picture with this name, or None if there is no such picture."""
    picture = picture_read(name)
    return None if picture is None else lambda width: _image(picture, width)


def _image(picture: Picture, width: int) -> Image.Image:
    canvas, colour = Canvas(width=width), COLOURS[picture.colour]
    _ground(canvas, colour, picture.style)
    art_draw(canvas, f"goods/{picture.category}-{picture.style}", good=colour)
    return canvas.picture()


def _ground(c: Canvas, colour: Colour, style: int) -> None:
    """Draw a wall and a table, and a disc in the product's colour behind the product."""
    wall = GROUNDS[style - 1]
    # One plain colour, because so slight a fade would show stripes.
    c.box(0, 0, WIDTH, 470, lighter(wall, 0.12))
    draws = Draws("goods", style)
    x = 400 + draws.whole(-50, 50)
    # Behind a pale product the disc is darker, or its outline would be lost.
    c.disc(x, 290, 232, mix(wall, SHADE, 0.34) if sum(colour) > PALE else mix(wall, colour, 0.2))
    c.box(0, 470, WIDTH, HEIGHT - 470, darker(wall, 0.1))
    c.box(0, 468, WIDTH, 3, darker(wall, 0.16))
