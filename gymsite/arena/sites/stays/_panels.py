"""Panels beside the pages that are of no use for any task: world, look and page draw which.

The weather and the events of a day are drawn from world, look and day, and so are the same on every page. No
panel shows a price, rating, amenity, policy or free night of a property.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from core.draws import Draws
from gymsite.arena.sites.site import Visit
from gymsite.arena.sites.stays._wording import day_text
from tasks_app.worlds.stays.types import World
from tasks_app.worlds.stays.vocabulary import NAMES

COUNTS: Mapping[str, int] = {"none": 0, "one": 1, "two": 2}
EVENTS = (
    "Flea market in the old tannery", "Organ concert by candlelight", "Open studio night",
    "Farmers' market with tasting", "Guided walk along the town wall", "Puppet theatre for all ages",
    "Jazz on the steps", "Boat parade", "Book fair under the arcades", "Lantern procession",
)  # fmt: skip
SKIES = ("sunny", "bright spells", "cloudy", "light showers", "windy and clear", "morning mist, then sun")
STORIES = (
    ("The clock that strikes thirteen", "Nobody in town hall will say why. We asked the man who winds it."),
    ("Breakfast like the lock keepers", "Dark bread, smoked fish and a story: mornings by the water."),
    ("Five benches with a view", "A slow walk for people who would rather sit."),
    ("The last lamplighter", "She retired in spring. Her route still makes a fine evening stroll."),
    ("A map drawn from memory", "We asked children to draw the town. Now we enjoy getting lost."),
)
TIPS = (
    "Pack light: the lanes are narrow, and there are many stairs.",
    "Trams are at their emptiest just after nine in the morning.",
    "Ask your host where they drink coffee. It is never where you would have looked.",
    "Museums close on Mondays, bakeries on Tuesdays, and nobody knows about the lighthouse.",
)
WAYS = (
    "Trains from the capital arrive twice an hour; the tram stops in front of the station.",
    "The night bus stops at the river bridge. From there, everything is a fifteen-minute walk.",
    "If you come by car, park at the edge of town: the centre is for pedestrians.",
)


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A heading and lines; links are paths below the first page with their texts."""

    title: str
    lines: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()


def panels(visit: Visit, *, here: str) -> list[Panel]:
    """As many different panels as the look has."""
    count = COUNTS[visit.look.panels]
    if not count:
        return []
    world: World = visit.world
    draws = Draws(world.key, "stays", world.edition, "panels", visit.look.digest(), here)
    return [make(visit, draws) for make in draws.sample(MAKERS, count)]


def _of_day(visit: Visit, what: str, day: date) -> Draws:
    world: World = visit.world
    return Draws(world.key, "stays", world.edition, what, visit.look.digest(), day.isoformat())


def _events(visit: Visit, _draws: Draws) -> Panel:
    draws = _of_day(visit, "events", visit.now.date())
    days = sorted(draws.sample(range(1, 7), 3))
    texts = draws.sample(EVENTS, len(days))
    lines = (
        f"{day_text((visit.now + timedelta(days=day)).date(), visit.look.locale)}: {text}"
        for day, text in zip(days, texts, strict=True)
    )
    return Panel(title=f"This week in {visit.world.town.name}", lines=tuple(lines))


def _weather(visit: Visit, _draws: Draws) -> Panel:
    days = ("Today", "Tomorrow", "The day after")
    lines = (_forecast(visit, name, after) for after, name in enumerate(days))
    return Panel(title="Weather", lines=tuple(lines))


def _forecast(visit: Visit, name: str, after: int) -> str:
    """Drawn from the date alone, so that a forecast for tomorrow still holds when it is today."""
    day = visit.now.date() + timedelta(days=after)
    draws = _of_day(visit, "weather", day)
    warmth = 18 - abs(day.month - 7) * 2 + draws.whole(-3, 4)
    return f"{name}: {draws.pick(SKIES)}, {warmth} \N{DEGREE SIGN}C"


def _other_towns(visit: Visit, draws: Draws) -> Panel:
    towns = [town for town in NAMES[visit.world.edition].towns if town[0] != visit.world.town.name]
    lines = (f"{name}, {country}" for name, country in draws.sample(towns, 3))
    return Panel(title="Coming soon to Staywell", lines=tuple(lines))


def _magazine(_visit: Visit, draws: Draws) -> Panel:
    title, text = draws.pick(STORIES)
    return Panel(title="From our magazine", lines=(f"{title}. {text}",))


def _viewed(visit: Visit, draws: Draws) -> Panel:
    houses = draws.sample(visit.world.listings, 3)
    links = ((f"stays/{one.id}", f"{one.name}, {one.neighbourhood}") for one in houses)
    return Panel(title="Guests also viewed", links=tuple(links))


def _tip(_visit: Visit, draws: Draws) -> Panel:
    return Panel(title="Travel tip", lines=(draws.pick(TIPS),))


def _way(visit: Visit, draws: Draws) -> Panel:
    return Panel(title=f"Getting to {visit.world.town.name}", lines=(draws.pick(WAYS),))


def _club(_visit: Visit, _draws: Draws) -> Panel:
    return Panel(
        title="The Staywell Club",
        lines=("Earn a stamp for every night and a small gift for every tenth. Ask at any reception.",),
    )


def _hosts(visit: Visit, _draws: Draws) -> Panel:
    return Panel(
        title="Become a host",
        lines=(f"Have a room to spare in {visit.world.town.name}? We visit every property before it opens.",),
    )


def _photographs(_visit: Visit, _draws: Draws) -> Panel:
    return Panel(
        title="Photo of the month",
        lines=("Send us the view from your window. The best photo hangs in our office for four weeks.",),
    )


MAKERS: tuple[Callable[[Visit, Draws], Panel], ...] = (
    _events, _weather, _other_towns, _magazine, _viewed, _tip, _way, _club, _hosts, _photographs,
)  # fmt: skip
