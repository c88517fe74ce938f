"""The data behind the tools, drawn from a seed: places, a year's rates, holidays, a handbook and a table.

All data are whole numbers or exact fractions, so they are the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path

import msgspec

from core.draws import Draws
from core.text.toml import toml_load

FIRST_YEAR, LAST_YEAR = 2024, 2028
RATES_YEAR = 2026
REGIONS = ("North", "South", "East")
HOLIDAYS = 9
PLACES, NAMESAKES = 12, 2
PLAIN_KM = 900
HOURS_OFF = 7
RATE_PARTS = 10_000
"""Parts of a unit, since rates have four decimals."""
RATE_STEP = 40
"""Maximum change of a rate per day, in ten-thousandths."""
ROWS = 16
SEEDS_CACHED = 64
MEANS = {"car": (62, 98), "train": (88, 160), "bicycle": (13, 21)}
"""Minimum and maximum speed of each means of transport, in km/h."""


class SectionWords(msgspec.Struct, frozen=True):
    """A section's text with a placeholder for each number, the numbers' bounds, and a question for each."""

    title: str
    text: str
    numbers: dict[str, tuple[int, int]]
    questions: dict[str, str]


class Words(msgspec.Struct, frozen=True):
    places: list[str]
    sides: list[str]
    currencies: dict[str, float]
    products: list[str]
    warehouses: list[str]
    suppliers: list[str]
    sections: list[SectionWords]


WORDS = toml_load(Path(__file__).with_name("words.toml"), Words)
CURRENCIES = tuple(WORDS.currencies)
BASE = CURRENCIES[0]
COLUMNS = ("Product", "Price", "Stock", "Weight", "Warehouse", "Supplier")
NUMBER_COLUMNS = ("Price", "Stock", "Weight")


@dataclass(frozen=True)
class Place:
    """A place. ``x`` and ``y`` are kilometres on a plane; ``zone`` is the offset from UTC in hours."""

    name: str
    x: int
    y: int
    zone: int


@dataclass(frozen=True)
class Section:
    title: str
    text: str
    numbers: dict[str, int]
    questions: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class ToolData:
    """Data of one seed.

    ``rates`` are parts of each currency per unit of ``BASE``, by day of ``RATES_YEAR``.
    """

    places: tuple[Place, ...]
    speeds: dict[str, int]
    rates: dict[str, tuple[int, ...]]
    holidays: dict[str, frozenset[date]]
    sections: tuple[Section, ...]
    rows: tuple[dict[str, str], ...]


@lru_cache(maxsize=SEEDS_CACHED)
def draw_data(seed: int) -> ToolData:
    """Draw the data of a seed, which are the same on every machine."""
    draws = Draws("tool-data-v1", seed)
    return ToolData(
        places=_places(draws.at("places")),
        speeds={name: draws.at("speeds", name).whole(*bounds) for name, bounds in MEANS.items()},
        rates={code: _rates(draws.at("rates", code), WORDS.currencies[code]) for code in CURRENCIES},
        holidays={region: _holidays(draws.at("holidays", region)) for region in REGIONS},
        sections=tuple(_section(draws.at("handbook", words.title), words) for words in WORDS.sections),
        rows=_rows(draws.at("table")),
    )


def _places(draws: Draws) -> tuple[Place, ...]:
    names = draws.sample(WORDS.places, PLACES)
    sides = [draws.sample(WORDS.sides, 2) for _ in range(NAMESAKES)]
    doubled = [f"{name} ({side})" for name, pair in zip(names, sides, strict=False) for side in pair]
    return tuple(
        Place(name, draws.whole(0, PLAIN_KM), draws.whole(0, PLAIN_KM), draws.whole(-HOURS_OFF, HOURS_OFF))
        for name in [*doubled, *names[NAMESAKES:]]
    )


def _rates(draws: Draws, base: float) -> tuple[int, ...]:
    """Draw a rate for each day of the year; on Saturdays and Sundays Friday's rate applies."""
    parts = round(base * RATE_PARTS)
    if base == 1:
        return (parts,) * 365
    weekday = date(RATES_YEAR, 1, 1).weekday()
    rates: list[int] = []
    for number in range(365):
        if (weekday + number) % 7 < 5:
            parts += parts * draws.whole(-RATE_STEP, RATE_STEP) // RATE_PARTS
        rates.append(parts)
    return tuple(rates)


def _holidays(draws: Draws) -> frozenset[date]:
    """Draw holidays in every year on working days only, so that each of them matters."""
    days: set[date] = set()
    for year in range(FIRST_YEAR, LAST_YEAR + 1):
        of_year: set[date] = set()
        while len(of_year) < HOLIDAYS:
            day = date(year, 1, 1) + timedelta(days=draws.whole(0, 364))
            if day.weekday() < 5:
                of_year.add(day)
        days |= of_year
    return frozenset(days)


def _section(draws: Draws, words: SectionWords) -> Section:
    numbers = {name: draws.whole(*bounds) for name, bounds in words.numbers.items()}
    return Section(words.title, words.text.format(**numbers), numbers, words.questions)


def _rows(draws: Draws) -> tuple[dict[str, str], ...]:
    return tuple(
        {
            "Product": product,
            "Price": str(draws.whole(5, 400)),
            "Stock": str(draws.whole(3, 900)),
            "Weight": f"{draws.whole(1, 40)}.{draws.whole(1, 9)}",
            "Warehouse": draws.pick(WORDS.warehouses),
            "Supplier": draws.pick(WORDS.suppliers),
        }
        for product in draws.sample(WORDS.products, ROWS)
    )
