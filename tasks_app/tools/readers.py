"""Readers of arguments: numbers, dates, times, choices, and names of places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date
from fractions import Fraction

from palaestra.protocol.suggestions import did_you_mean
from tasks_app.tools.data import FIRST_YEAR, LAST_YEAR, ToolData
from tasks_app.tools.types import Field, Kind, Read, ToolError

NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,10})?", re.ASCII)
DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII)
CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)
MINUS = "\u2212"
DECIMALS = 6


def exact(value: str) -> Fraction:
    """Parse a number that ``number_text`` has written."""
    return Fraction(value)


def number_text(number: Fraction, *, decimals: int = DECIMALS) -> str:
    """Write a number with up to ``decimals`` decimals, rounding halves away from zero.

    Trailing zeros are dropped.
    """
    scaled = abs(number) * 10**decimals
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    digits = str(whole).rjust(decimals + 1, "0")
    text = f"{digits[:-decimals]}.{digits[-decimals:]}".rstrip("0").rstrip(".") if decimals else digits
    return f"-{text}" if number < 0 and whole else text


def number(text: str, _data: ToolData) -> str:
    """Read a number. Raises ``ToolError``."""
    plain = text.replace(MINUS, "-")
    if not NUMBER.fullmatch(plain):
        raise ToolError(f"{text[:40]!r} is not a number. Write one such as 12 or 3.5, without a unit.")
    return number_text(Fraction(plain.replace(",", "")), decimals=10)


def whole(low: int, high: int) -> Read:
    """Make a reader of whole numbers from ``low`` to ``high``, which raises ``ToolError``."""

    def read(text: str, data: ToolData) -> str:
        value = exact(number(text, data))
        if value.denominator != 1 or not low <= value <= high:
            raise ToolError(f"{text[:40]!r} is not a whole number from {low} to {high}.")
        return str(value.numerator)

    return read


def day(text: str, _data: ToolData) -> str:
    """Read a date. Raises ``ToolError``."""
    match = DAY.fullmatch(text)
    try:
        read = date(*map(int, match.groups())) if match else None
    except ValueError:
        read = None
    if read is None:
        raise ToolError(f"{text[:40]!r} is not a date. Write year, month and day, such as 2026-03-09.")
    if not FIRST_YEAR <= read.year <= LAST_YEAR:
        raise ToolError(f"Dates are from {FIRST_YEAR} to {LAST_YEAR}.")
    return read.isoformat()


def clock(text: str, _data: ToolData) -> str:
    """Read a time of day. Raises ``ToolError``."""
    match = CLOCK.fullmatch(text)
    if match is None:
        raise ToolError(f"{text[:40]!r} is not a time of day. Write hours and minutes, such as 17:05.")
    return f"{int(match[1]):02}:{match[2]}"


def place(text: str, data: ToolData) -> str:
    """Read the full name of a place. An ambiguous name is refused with the list of all matching places."""
    plain = folded(text)
    for known in data.places:
        if folded(known.name) == plain:
            return known.name
    namesakes = [known.name for known in data.places if folded(known.name.partition(" (")[0]) == plain]
    if namesakes:
        raise ToolError(f"There are several places of this name: {', '.join(namesakes)}. Write which one.")
    raise ToolError(
        f"There is no place {text[:40]!r}. {did_you_mean(text, [known.name for known in data.places])}"
    )


def folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def option(options: Iterable[str]) -> Read:
    """Make a reader of these options, which raises ``ToolError`` for anything else."""
    by_name = {folded(name): name for name in options}

    def read(text: str, _data: ToolData) -> str:
        if folded(text) not in by_name:
            raise ToolError(f"{text[:40]!r} is none of {', '.join(by_name.values())}.")
        return by_name[folded(text)]

    return read


def words(text: str, _data: ToolData) -> str:
    return folded(text)


def choice(name: str, label: str, options: tuple[str, ...]) -> Field:
    return Field(name=name, label=label, kind="choice", read=option(options), options=options)


def field_maker(kind: Kind, read: Read, hint: str) -> Callable[[str, str], Field]:
    """Make a factory of fields that differ only in name and label."""

    def made(name: str, label: str) -> Field:
        return Field(name=name, label=label, kind=kind, read=read, hint=hint)

    return made


number_field = field_maker("number", number, "such as 12.5")
day_field = field_maker("date", day, "such as 2026-03-09")
clock_field = field_maker("time", clock, "such as 17:05")
place_field = field_maker("text", place, "the full name of a place")
