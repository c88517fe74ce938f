"""Panels next to the pages that do not help with any task, drawn by world, look and page.

The weather and the events of a day are drawn by world, look and day, so they are the same on every page. No
panel shows a price, rating, amenity, policy or free night of a property.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from core.draws import Draws
from core.text.toml import toml_load
from gymsite.arena.sites.site import Visit
from gymsite.arena.sites.stays._wording import day_text
from tasks_app.worlds.stays.types import World
from tasks_app.worlds.stays.vocabulary import NAMES

COUNTS: Mapping[str, int] = {"none": 0, "one": 1, "two": 2}


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A panel with a heading and lines. Each link is a path below the first page, and a text."""

    title: str
    lines: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Texts:
    """Panel that shows one of a few lines."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Data:
    events: tuple[str, ...]
    skies: tuple[str, ...]
    texts: Mapping[str, Texts]


DATA = toml_load(Path(__file__).with_name("panels.toml"), Data)


def draw_panels(visit: Visit, *, here: str) -> list[Panel]:
    """Draw the page's panels at random, all different, as many as the look has."""
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
    texts = draws.sample(DATA.events, len(days))
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
    """Draw a day's weather by its date alone, so that tomorrow's forecast is still the same tomorrow."""
    day = visit.now.date() + timedelta(days=after)
    draws = _of_day(visit, "weather", day)
    warmth = 18 - abs(day.month - 7) * 2 + draws.whole(-3, 4)
    return f"{name}: {draws.pick(DATA.skies)}, {warmth} \N{DEGREE SIGN}C"


def _other_towns(visit: Visit, draws: Draws) -> Panel:
    towns = [town for town in NAMES[visit.world.edition].towns if town[0] != visit.world.town.name]
    lines = (f"{name}, {country}" for name, country in draws.sample(towns, 3))
    return Panel(title="Coming soon to Staywell", lines=tuple(lines))


def _viewed(visit: Visit, draws: Draws) -> Panel:
    houses = draws.sample(visit.world.listings, 3)
    links = ((f"stays/{house.id}", f"{house.name}, {house.neighbourhood}") for house in houses)
    return Panel(title="Guests also viewed", links=tuple(links))


def _written(name: str) -> Callable[[Visit, Draws], Panel]:
    texts = DATA.texts[name]

    def panel(visit: Visit, draws: Draws) -> Panel:
        line = draws.pick(texts.lines) if len(texts.lines) > 1 else texts.lines[0]
        town = visit.world.town.name
        return Panel(title=texts.title.format(town=town), lines=(line.format(town=town),))

    return panel


MAKERS = (
    _events,
    _weather,
    _other_towns,
    _written("magazine"),
    _viewed,
    *map(_written, ("tip", "way", "club", "hosts", "photographs")),
)
