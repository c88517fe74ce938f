"""Boxes on the shop's pages that are of no use for any task: which ones stand there is drawn."""

from __future__ import annotations

from dataclasses import dataclass

from core.draws import Draws
from gymsite.arena.sites.site import Visit
from tasks_app.worlds.reviews.types import World

NUMBERS = {"none": 0, "one": 1, "two": 2}
LINKS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    title: str
    text: str
    links: tuple[tuple[str, str], ...] = ()
    """Product ids with what the links say."""


WRITTEN = (
    Panel(
        title="From our magazine",
        text="How a kettle is made: a day in a small works where every lid is still fitted by hand, and why "
        "the people there drink their tea cold.",
    ),
    Panel(
        title="Weather where we deliver",
        text="Showers in the north until evening, dry and 14 degrees in the south. Parcels come in paper "
        "that can stand a little rain.",
    ),
    Panel(
        title="Gift cards",
        text="From 10 to 250 euros, by letter or by e-mail, and good for three years. Whoever gets one may "
        "spend it in parts.",
    ),
    Panel(
        title="Repair evening",
        text="Every second Thursday volunteers mend what is broken, in the room above our shop. Bring the "
        "thing, its cable and some patience.",
    ),
    Panel(
        title="Visit us",
        text="The shop at the old market is open from 10 to 18 on weekdays and from 10 to 14 on Saturdays. "
        "Dogs are welcome, and there is coffee.",
    ),
    Panel(
        title="Boxes that come back",
        text="Hand the empty box to your carrier with the next parcel. We use each one about six times "
        "before it becomes new cardboard.",
    ),
    Panel(
        title="Question of the week",
        text="What do you reach for first in the morning: the kettle, the radio or the window? Last week "
        "most of you were for the window.",
    ),
    Panel(
        title="Work with us",
        text="We are looking for someone who likes packing shelves, riddles and early mornings. Twenty hours "
        "a week, four of us, one very old lift.",
    ),
    Panel(
        title="Care tip",
        text="Vinegar takes away lime, lemon takes away the smell of vinegar, and an open window takes away "
        "the rest. Leave it in for an hour.",
    ),
)


def panels(visit: Visit, here: str) -> list[Panel]:
    """As many as the look has, of what is written and of two that the shop's products make."""
    world: World = visit.world
    draws = Draws(world.key, "reviews", "panels", visit.look.digest(), here)
    return draws.sample((*WRITTEN, _also(world, draws), _brands(world)), NUMBERS[visit.look.panels])


def _also(world: World, draws: Draws) -> Panel:
    chosen = draws.sample(world.products, LINKS)
    links = tuple((product.id, product.name) for product in chosen)
    return Panel(title="Others are looking at", text="Seen by visitors in the last hour:", links=links)


def _brands(world: World) -> Panel:
    brands = sorted(product.brand for product in world.products)
    return Panel(title="Brands in our shop", text=f"{', '.join(brands[:-1])} and {brands[-1]}.")
