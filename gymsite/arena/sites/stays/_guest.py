"""The guest who is signed in, drawn from the world: nothing that is booked depends on it."""

from __future__ import annotations

from dataclasses import dataclass

from core.draws import Draws
from tasks_app.worlds.cache import cached_by_world
from tasks_app.worlds.formats import month_text
from tasks_app.worlds.stays.types import World
from tasks_app.worlds.stays.vocabulary import NAMES

FAMILIES = (
    "Ashby",
    "Bertrand",
    "Calloway",
    "Duarte",
    "Eklund",
    "Ferrand",
    "Holm",
    "Kessler",
    "Lennox",
    "Winter",
)
"""Family names after which no property is called."""
YEARS_BEFORE = (2, 6)
"""Years before the world's first day in which the guest joined."""


@dataclass(frozen=True, kw_only=True)
class Guest:
    name: str
    initials: str
    home: str
    since: str


@cached_by_world(most=1)
def guest(world: World) -> Guest:
    draws = Draws(world.key, "stays", world.edition, "guest")
    names = NAMES[world.edition]
    first, family = draws.pick(names.first_names), draws.pick(FAMILIES)
    joined = world.first_day.replace(
        year=world.first_day.year - draws.whole(*YEARS_BEFORE), month=draws.whole(1, 12), day=1
    )
    return Guest(
        name=f"{first} {family}",
        initials=f"{first[0]}{family[0]}",
        home=draws.pick(names.homes),
        since=month_text(joined),
    )
