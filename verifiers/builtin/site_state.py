"""The values that a mock-site task asks for, and the final state of its episode.

The gold value decides how an answer is read. A date (``2027-05-06``) may be written as the sites' pages write
dates; a number may carry a currency, thousands separators and the noun that it counts; a single letter may be
in brackets and preceded by "condition"; any other text is compared word by word, ignoring case. Order numbers
and the like are compared as text too, since no two of them differ by case alone. A final full stop is
ignored, except after figures. Values come in the order of the task's fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from verifiers import denotations
from verifiers.answer_text import make_verdict, readable, unparsable
from verifiers.limits import SHORT_ANSWER_CHARS
from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?"
DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
DATES = [
    re.compile(pattern, re.ASCII | re.IGNORECASE)
    for pattern in (
        r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})",
        rf"{WEEKDAY}{DAY}(?:\s+|-)(?P<month>[a-z]{{3,9}})(?:\.?,?\s+|-)(?P<year>\d{{4}})",
        rf"{WEEKDAY}(?P<month>[a-z]{{3,9}})\.?\s+{DAY},?\s+(?P<year>\d{{4}})",
    )
]
NUMBER = re.compile(r"-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?", re.ASCII)
CURRENCY = r"(?:eur(?:os?)?|\u20ac)"
COUNTED = r"(?:(?:helpful\s+)?votes?|reviews?|ratings?|stars?|nights?|days?|guests?)"
AMOUNT = re.compile(
    rf"(?:{CURRENCY}\s*)?({NUMBER.pattern})(?:\s*(?:{CURRENCY}|{COUNTED})\.?)?", re.ASCII | re.IGNORECASE
)
LETTER = re.compile(r"(?:condition\s*)?\(?([a-z])\)?", re.ASCII | re.IGNORECASE)


@verifier("site_state-v1", title="Values and state of a mock site")
def site_state(gold: Gold, evidence: Evidence) -> Verdict:
    """Require every value to match, and the evidence to have each part of ``gold.extra["state"]``, if any.

    ``evidence.extra["state"]`` is the episode's final state as JSON, folded from its events; if it is needed
    and missing, ``ValueError`` is raised. Parts of the state that the gold does not name may be anything.
    ``metrics`` reports values and state separately.
    """
    expected = split_answer(gold.answer)
    given = split_answer(evidence.answer)
    gold_cell = denotations.join_cell(expected)
    read = [readable(value) if len(value) <= SHORT_ANSWER_CHARS else None for value in given]
    if len(given) != len(expected) or None in read:
        return unparsable(gold=gold_cell, answer=denotations.join_cell(given))
    rights = [is_same(target, other or "") for target, other in zip(expected, read, strict=True)]
    has_state = is_reached(gold.extra.get("state"), evidence.extra.get("state"))
    verdict = make_verdict(all(rights) and has_state, gold=gold_cell, answer=denotations.join_cell(given))
    metrics = {"values_right": sum(rights) / len(rights), "state_right": float(has_state)}
    return replace(verdict, metrics=metrics)


def split_answer(answer: str | tuple[str, ...]) -> list[str]:
    """Split an answer into its values: the items of a list, or the parts of a text separated by ``|``."""
    given = denotations.split_cell(answer) if isinstance(answer, str) else answer
    return [value.strip() for value in given]


def is_reached(target: Mapping[str, Any] | None, state: Mapping[str, Any] | None) -> bool:
    """Return whether the state has every part of the target. Raises ``ValueError`` if there is no state."""
    if target is None:
        return True
    if state is None:
        raise ValueError("The task is judged by its state, and the evidence has none.")
    return all(state.get(part) == value for part, value in target.items())


def is_same(gold: str, given: str) -> bool:
    """Return whether a given value matches the gold, as a date, number, letter or text; the gold decides."""
    if NUMBER.fullmatch(gold):
        return parse_number(given) == parse_number(gold)
    gold, given = gold.removesuffix("."), given.removesuffix(".")
    if ISO_DATE.fullmatch(gold):
        return parse_date(given) == date.fromisoformat(gold)
    if len(gold) == 1:
        letter = LETTER.fullmatch(given)
        return letter is not None and letter[1].casefold() == gold.casefold()
    return _words(given) == _words(gold)


def parse_date(text: str) -> date | None:
    """Parse a date in ISO format, or with the month's name before or after the day; else return None."""
    match = next(filter(None, (pattern.fullmatch(text) for pattern in DATES)), None)
    if match is None:
        return None
    name = match["month"][:3].lower()
    month = MONTHS.index(name) + 1 if name in MONTHS else 0
    try:
        return date(int(match["year"]), month or int(match["month"]), int(match["day"]))
    except ValueError:
        return None


def parse_number(text: str) -> Decimal | None:
    """Parse a number, with or without a currency or a noun that it counts (``12 reviews``); else None."""
    match = AMOUNT.fullmatch(text)
    return Decimal(match[1].replace(",", "")) if match else None


def _words(text: str) -> list[str]:
    return [" ".join(part.casefold().split()) for part in text.split(",")]
