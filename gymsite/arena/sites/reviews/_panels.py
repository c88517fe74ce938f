"""Panels beside the shop's pages that help with no task: the look and the page draw which."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.draws import Draws
from core.tables import toml_load
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


WRITTEN = toml_load(Path(__file__).with_name("panels.toml"), dict[str, tuple[Panel, ...]])["panels"]


def draw_panels(visit: Visit, here: str) -> list[Panel]:
    """Draw as many panels as the look has."""
    count = NUMBERS[visit.look.panels]
    if not count:
        return []
    world: World = visit.world
    draws = Draws(world.key, "reviews", "panels", visit.look.digest(), here)
    return draws.sample((*WRITTEN, _also(world, draws), _brands(world)), count)


def _also(world: World, draws: Draws) -> Panel:
    chosen = draws.sample(world.products, LINKS)
    links = tuple((product.id, product.name) for product in chosen)
    return Panel(title="Customers also viewed", text="Popular in the last hour:", links=links)


def _brands(world: World) -> Panel:
    brands = sorted(product.brand for product in world.products)
    return Panel(title="Our brands", text=f"{', '.join(brands[:-1])} and {brands[-1]}.")
