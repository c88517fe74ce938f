"""Panels beside the shop's pages that are of no use for any task: the look and the page draw which."""

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
    """Product ids and link texts."""


WRITTEN = (
    Panel(
        title="From our magazine",
        text="How a kettle is made: a day in a small workshop where every lid is still fitted by hand, and "
        "why the people there drink their tea cold.",
    ),
    Panel(
        title="Delivery weather",
        text="Showers in the north until evening, dry and 14 degrees in the south. Our paper parcels can "
        "take a little rain.",
    ),
    Panel(
        title="Gift cards",
        text="From €10 to €250, by post or by email, and valid for three years. The balance can be spent "
        "over several orders.",
    ),
    Panel(
        title="Repair evening",
        text="Every second Thursday, volunteers repair what is broken in the room above our shop. Bring the "
        "item, its cable and some patience.",
    ),
    Panel(
        title="Visit our store",
        text="The store at the old market is open from 10 to 18 on weekdays and from 10 to 14 on Saturdays. "
        "Dogs are welcome, and there is coffee.",
    ),
    Panel(
        title="Reusable boxes",
        text="Hand the empty box to your carrier with the next parcel. We use each box about six times "
        "before it is recycled.",
    ),
    Panel(
        title="Poll of the week",
        text="What do you reach for first in the morning: the kettle, the radio or the window? Last week "
        "most of you voted for the window.",
    ),
    Panel(
        title="Work with us",
        text="We are looking for someone who likes packing shelves, puzzles and early mornings. Twenty "
        "hours a week, a team of four, one very old lift.",
    ),
    Panel(
        title="Care tip",
        text="Vinegar removes limescale, lemon removes the smell of vinegar, and an open window removes the "
        "rest. Leave it in for an hour.",
    ),
)


def panels(visit: Visit, here: str) -> list[Panel]:
    """As many panels as the look has."""
    world: World = visit.world
    draws = Draws(world.key, "reviews", "panels", visit.look.digest(), here)
    return draws.sample((*WRITTEN, _also(world, draws), _brands(world)), NUMBERS[visit.look.panels])


def _also(world: World, draws: Draws) -> Panel:
    chosen = draws.sample(world.products, LINKS)
    links = tuple((product.id, product.name) for product in chosen)
    return Panel(title="Customers also viewed", text="Popular in the last hour:", links=links)


def _brands(world: World) -> Panel:
    brands = sorted(product.brand for product in world.products)
    return Panel(title="Our brands", text=f"{', '.join(brands[:-1])} and {brands[-1]}.")
