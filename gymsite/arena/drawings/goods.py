"""The shop's pictures by name: a thing in its colour, on a plain ground."""

from __future__ import annotations

from collections.abc import Callable

from core.draws import Draws
from gymsite.arena.drawings import goods_carried, goods_kitchen, goods_worn
from gymsite.arena.drawings.canvas import HEIGHT, WIDTH, Canvas, Colour, Drawing, darker, hexed, lighter, mix
from tasks_app.worlds.reviews.pictures import Picture, picture_read

COLOURS: dict[str, Colour] = {
    "Olive": hexed("7c7f46"),
    "Navy": hexed("2f4467"),
    "Slate": hexed("64727f"),
    "Rust": hexed("b2593a"),
    "Sand": hexed("d3b98d"),
    "Plum": hexed("75466a"),
    "Moss": hexed("5f7f55"),
    "Charcoal": hexed("42474d"),
    "Coral": hexed("e07f6b"),
    "Mustard": hexed("d3a23c"),
    "Teal": hexed("2f7f83"),
    "Ivory": hexed("efe6d2"),
    "Graphite": hexed("4c5157"),
    "Cream": hexed("f0e3c6"),
    "Burgundy": hexed("7f2f40"),
    "Sky": hexed("83b5d6"),
    "Mint": hexed("97ccb3"),
    "Copper": hexed("b9774d"),
    "Denim": hexed("46689a"),
    "Lemon": hexed("ecd560"),
    "Lilac": hexed("b39bcb"),
    "Pearl": hexed("e3dfdb"),
    "Brick": hexed("a44d3d"),
    "Onyx": hexed("2c2e34"),
}
GROUNDS = tuple(map(hexed, ("dfe5e3", "ece3d6", "dde3ea", "e8dfdf", "e3e6d9")))
SHADE = hexed("5f7683")
PALE = 620
"""Red, green and blue together."""
CATEGORIES: dict[str, Callable[[Canvas, Colour, int], None]] = {
    "backpack": goods_carried.backpack,
    "suitcase": goods_carried.suitcase,
    "tent": goods_carried.tent,
    "kettle": goods_kitchen.kettle,
    "air-fryer": goods_kitchen.air_fryer,
    "desk-lamp": goods_kitchen.desk_lamp,
    "office-chair": goods_kitchen.office_chair,
    "headphones": goods_worn.headphones,
    "running-shoe": goods_worn.running_shoe,
    "bicycle-helmet": goods_worn.bicycle_helmet,
    "electric-toothbrush": goods_worn.electric_toothbrush,
}


def drawing(name: str) -> Drawing | None:
    """How the picture of a name is drawn, None when there is none."""
    picture = picture_read(name)
    return None if picture is None else lambda canvas: _draw(canvas, picture)


def _draw(canvas: Canvas, picture: Picture) -> None:
    _ground(canvas, COLOURS[picture.colour], picture.style)
    CATEGORIES[picture.category](canvas, COLOURS[picture.colour], picture.style)


def _ground(c: Canvas, colour: Colour, style: int) -> None:
    """A wall and a table, with a round of the thing's own colour behind it."""
    wall = GROUNDS[style - 1]
    # Plain, for so slight a fade would come in stripes.
    c.box(0, 0, WIDTH, 470, lighter(wall, 0.12))
    draws = Draws("goods", style)
    x = 400 + draws.whole(-50, 50)
    # A pale thing stands before something darker, or its outline would be lost.
    c.disc(x, 290, 232, mix(wall, SHADE, 0.34) if sum(colour) > PALE else mix(wall, colour, 0.2))
    c.box(0, 470, WIDTH, HEIGHT - 470, darker(wall, 0.1))
    c.box(0, 468, WIDTH, 3, darker(wall, 0.16))
