"""Answer sets of WikiTableQuestions: normalised strings, numbers and dates, and the rule by which they match.

Source: ppasupat/WikiTableQuestions v1.0.2, ``evaluator.py``. Answers are sets, so equal members count once.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

TOLERANCE = 1e-6
QUOTES = re.compile("[\u2018\u2019\u00b4`]")
DOUBLE_QUOTES = re.compile("[\u201c\u201d]")
DASHES = re.compile("[\u2010\u2011\u2012\u2013\u2014\u2212]")
CITATIONS = re.compile("(?:(?<!^)\\[[^\\]]*\\]|^\\[\\d+\\]|[\u2022\u2666\u2020\u2021*#+])+$")
DETAILS = re.compile(r"(?<!^)(?: \([^)]*\))+$")
OUTER_QUOTES = re.compile(r'^"([^"]*)"$')
ESCAPES = {"\\n": "\n", "\\p": "|", "\\\\": "\\"}
ESCAPE = re.compile(r"\\[np\\]")

Date = tuple[int | None, int | None, int | None]


@dataclass(frozen=True)
class Value:
    """A member of an answer set: its normalised text, and its number or date (year, month, day), if any."""

    text: str
    number: float | None = None
    date: Date | None = None

    @property
    def key(self) -> tuple[str, object]:
        """The key that two members of a set share if they are equal."""
        if self.number is not None:
            return "number", self.number
        return ("date", self.date) if self.date is not None else ("string", self.text)

    def matches(self, other: Value) -> bool:
        if self.text == other.text:
            return True
        if self.number is not None and other.number is not None:
            return abs(self.number - other.number) < TOLERANCE
        return self.date is not None and self.date == other.date


def normalise(text: str) -> str:
    """Strip accents, citations, bracketed details, outer quotes and the final period; lower-case the rest."""
    decomposed = unicodedata.normalize("NFKD", text)
    plain = "".join(char for char in decomposed if unicodedata.category(char) != "Mn")
    plain = DASHES.sub("-", DOUBLE_QUOTES.sub('"', QUOTES.sub("'", plain)))
    before = None
    while plain != before:
        before = plain
        plain = CITATIONS.sub("", plain.strip())
        plain = DETAILS.sub("", plain.strip())
        plain = OUTER_QUOTES.sub(r"\1", plain.strip())
    plain = plain.removesuffix(".")
    return re.sub(r"\s+", " ", plain).lower().strip()


def split_cell(cell: str) -> list[str]:
    """Split a ``targetValue`` cell at ``|`` into members, and undo the official files' escapes."""
    return [ESCAPE.sub(lambda match: ESCAPES[match.group()], item) for item in cell.split("|")]


def join_cell(items: Sequence[str]) -> str:
    """Join members into a cell that ``split_cell`` can read."""
    return "|".join(item.replace("\\", "\\\\").replace("|", "\\p").replace("\n", "\\n") for item in items)


def value_set(items: Sequence[str], canonical: Sequence[str] | None = None) -> list[Value]:
    """Build the set of values; ``canonical`` (``targetCanon``) gives each item's number or date."""
    values = [_value(item, meaning) for item, meaning in zip(items, canonical or items, strict=True)]
    return list({value.key: value for value in values}.values())


def is_match(targets: Sequence[Value], answers: Sequence[Value]) -> bool:
    """Return whether the sets have equal sizes and every target matches an answer."""
    return len(targets) == len(answers) and all(
        any(target.matches(value) for value in answers) for target in targets
    )


def _value(item: str, meaning: str) -> Value:
    text = normalise(item)
    number = _number(meaning)
    if number is not None:
        return Value(text, number=number)
    date = _date(meaning)
    if date is None:
        return Value(text)
    year, month, day = date
    if month is None and day is None and year is not None:
        return Value(text, number=float(year))
    return Value(text, date=date)


def _number(text: str) -> float | None:
    if "_" in text:  # float() accepts 1_000; the official evaluator's Python 2 does not
        return None
    try:
        amount = float(text)
    except ValueError:
        return None
    if not math.isfinite(amount):
        return None
    return float(round(amount)) if abs(amount - round(amount)) < TOLERANCE else amount


def _date(text: str) -> Date | None:
    parts = text.lower().split("-")
    if len(parts) != 3 or "_" in text:
        return None
    try:
        year = None if parts[0] in ("xx", "xxxx") else int(parts[0])
        month, day = (None if part == "xx" else int(part) for part in parts[1:])
    except ValueError:
        return None
    if (year, month, day) == (None, None, None):
        return None
    is_date = (month is None or 1 <= month <= 12) and (day is None or 1 <= day <= 31)
    return (year, month, day) if is_date else None
