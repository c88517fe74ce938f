"""A product's pictures. Their names are the same in all worlds.

There are so few names that each picture is drawn once and shown in all worlds, so a name reveals nothing
about a world. A product is shown in colours in which it is sold.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple, get_args

from core.draws import Draws
from tasks_app.worlds.editions import Edition
from tasks_app.worlds.reviews import vocabulary
from tasks_app.worlds.reviews.types import Product, World

STYLES = 5
"""Number of shapes per category. There are as many as rivals, so no two rivals look the same."""
MOST_PICTURES = 3

_NAME = re.compile(r"([a-z]+(?:-[a-z]+)?)-([a-z]+)-([1-9])", re.ASCII)


class Picture(NamedTuple):
    """A picture, identified by its content: a category, one of the edition's colours, and a shape."""

    category: str
    colour: str
    style: int

    @property
    def name(self) -> str:
        return f"{self.category}-{self.colour.lower()}-{self.style}"

    @property
    def words(self) -> str:
        """Description for agents that do not see the picture."""
        return f"{self.category.replace('-', ' ').capitalize()} in {self.colour}"


def picture_read(name: str) -> Picture | None:
    """Parse a picture's name, or return None if there is no such picture."""
    match = _NAME.fullmatch(name)
    if match is None or int(match[3]) > STYLES:
        return None
    for edition in get_args(Edition):
        words = vocabulary.load_vocabulary(edition)
        if match[1] in words.categories and match[2].capitalize() in words.catalogue.colours:
            return Picture(match[1], match[2].capitalize(), int(match[3]))
    return None


def pictures(world: World, product: Product) -> tuple[Picture, ...]:
    """Choose two or three pictures in different colours of the product, all with the same shape."""
    style = _styles(world.key, world.edition)[world.products.index(product) % STYLES]
    count = MOST_PICTURES - product.number % 2
    return tuple(Picture(product.category, colour, style) for colour in product.colours[:count])


@lru_cache(maxsize=1024)
def _styles(key: bytes, edition: Edition) -> list[int]:
    """Return the order in which products get shapes."""
    return Draws(key, "reviews", edition, "pictures").shuffled(range(1, STYLES + 1))
