"""Normal forms of answers; two answers with the same normal form are equivalent."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

from verifiers.puzzles.numbers import number

DURATION = re.compile(
    r"(?:(\d{1,6}) days?)?(?:(?:^|, )(\d{1,3}):([0-5]\d)(?::([0-5]\d(?:\.\d{1,6})?))?)?", re.ASCII
)
ROLE = re.compile(r"([a-z'-]+) is (?:an? )?([a-z]+)", re.ASCII)
SINGLE_QUOTED = re.compile(r"\[[^\"]*\]", re.DOTALL)


def exact(text: str) -> str:
    return text


def folded(text: str) -> str:
    return text.lower()


def unspaced(text: str) -> str:
    return text.replace(" ", "").lower()


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def folded_words(text: str) -> tuple[str, ...]:
    return tuple(text.lower().split())


def comma_list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


def lines(text: str) -> tuple[str, ...]:
    """Split a board into its rows, each without white space at either end."""
    return tuple(line.rstrip() for line in text.split("\n"))


def cells(text: str) -> tuple[tuple[str, ...], ...]:
    """Split a board into rows, and each row into cells at white space."""
    return tuple(tuple(line.split()) for line in text.split("\n"))


def number_cells(text: str) -> Hashable | None:
    """Parse rows of numbers, to two decimal places."""
    rows = [[number(cell) for cell in row] for row in cells(text)]
    if any(cell is None for row in rows for cell in row):
        return None
    return tuple(tuple(round(cell, 2) for cell in row if cell is not None) for row in rows)


def life_board(text: str) -> Hashable | None:
    """Parse a JSON array of rows of 0 and 1."""
    rows = _lists(text)
    is_board = rows is not None and all(cell in ("0", "1") for row in rows for cell in row)
    return tuple(map(tuple, rows)) if rows is not None and is_board else None


def groups(text: str) -> Hashable | None:
    """Parse a JSON array of arrays of words; the order does not matter in either."""
    lists = _lists(text)
    return None if lists is None else tuple(sorted(tuple(sorted(group)) for group in lists))


def partitions(text: str) -> Hashable | None:
    """Parse a JSON array of arrays of words; the order of the outer array does not matter."""
    lists = _lists(text)
    return None if lists is None else tuple(sorted(tuple(group) for group in lists))


def number_list(text: str) -> Hashable | None:
    """Parse a JSON or Python array of numbers, quoted or not, in order."""
    items = _json(text.replace("'", '"') if SINGLE_QUOTED.fullmatch(text) else text)
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        return None
    values = [number(item) for item in items]
    return None if None in values else tuple(values)


def duration(text: str) -> Hashable | None:
    """Parse ``12 days``, ``07:05``, ``07:05:30.250`` or ``12 days, 07:05:30`` to days and seconds."""
    match = DURATION.fullmatch(text)
    if match is None:
        return None
    days, hours, minutes, seconds = match.groups()
    clock = None if hours is None else Fraction(seconds or 0) + 60 * int(minutes) + 3600 * int(hours)
    return (None if days is None else int(days), clock)


def roles(text: str) -> Hashable | None:
    """Parse ``A is a knight, and B is a knave`` to a role per name, in any order; None if a name repeats."""
    parts = re.split(r",? and |, ", " ".join(text.lower().split()).removesuffix("."))
    matches = [ROLE.fullmatch(part) for part in parts]
    pairs = {match[1]: match[2] for match in matches if match}
    return frozenset(pairs.items()) if len(pairs) == len(parts) else None


def _lists(text: str) -> list[list[str]] | None:
    """Parse a JSON array of arrays of words or numbers."""
    value = _json(text)
    if not isinstance(value, list) or not all(isinstance(group, list) for group in value):
        return None
    return value if all(isinstance(word, str) for group in value for word in group) else None


def _json(text: str) -> Any:
    """Parse JSON with numbers as strings; None if the text is not JSON or contains names such as ``NaN``."""
    try:
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not a number")
