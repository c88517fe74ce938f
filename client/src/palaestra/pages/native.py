"""Fields whose value is not simply the typed text: dates, times, colours and ranges, as defined by HTML.

https://html.spec.whatwg.org/multipage/input.html#the-input-element
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_MONTH = re.compile(r"(?!0000)\d{4}-(?:0[1-9]|1[0-2])")
_WEEK = re.compile(r"(\d{4})-[Ww](\d\d)")
_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?")
_COLOUR = re.compile(r"#(?:[0-9a-fA-F]{3}){1,2}")
Limits = Mapping[str, Any]
"""The ``least``, ``most`` and ``step`` of a field, from its attributes."""


@dataclass(frozen=True)
class Native:
    """A type of field.

    ``read(text, limits)`` returns the field's value, or None for a text that it does not accept; ``takes``
    describes the texts that it accepts.
    """

    takes: str
    read: Callable[[str, Limits], str | None]


def _date(text: str, _: Limits) -> str | None:
    try:
        return text if _DATE.fullmatch(text) and date.fromisoformat(text) else None
    except ValueError:
        return None


def _month(text: str, _: Limits) -> str | None:
    return text if _MONTH.fullmatch(text) else None


def _week(text: str, _: Limits) -> str | None:
    match = _WEEK.fullmatch(text)
    try:
        return text.upper() if match and date.fromisocalendar(int(match[1]), int(match[2]), 1) else None
    except ValueError:
        return None


def _time(text: str, _: Limits) -> str | None:
    return text if _TIME.fullmatch(text) else None


def _datetime(text: str, limits: Limits) -> str | None:
    day, time = text[:10], text[11:]
    is_one = text[10:11] in ("T", "t", " ") and _date(day, limits) and _time(time, limits)
    return f"{day}T{time}" if is_one else None


def _colour(text: str, _: Limits) -> str | None:
    if not _COLOUR.fullmatch(text):
        return None
    digits = text[1:].lower()
    return "#" + (digits if len(digits) == 6 else "".join(2 * digit for digit in digits))


def _range(text: str, limits: Limits) -> str | None:
    least, most, step = parse_range(limits)
    value = parse_number(text)
    if value is None or not least <= value <= max(most, least):
        return None
    return None if step and (value - least) % step else format(value.normalize(), "f")


def parse_range(limits: Limits) -> tuple[Decimal, Decimal, Decimal]:
    """Return a range's smallest and largest value and its step, which is 0 if there is none."""
    least, most, step = (parse_number(str(limits.get(name) or "")) for name in ("least", "most", "step"))
    is_free = str(limits.get("step") or "").lower() == "any"
    each = Decimal(0) if is_free else step if step and step > 0 else Decimal(1)
    return least if least is not None else Decimal(0), most if most is not None else Decimal(100), each


def parse_number(text: str) -> Decimal | None:
    """Parse a number; return None if the text is not a number."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


NATIVES: Mapping[str, Native] = {
    "date": Native("a date, written 2026-12-05", _date),
    "month": Native("a month, written 2026-12", _month),
    "week": Native("a week, written 2026-W49", _week),
    "time": Native("a time, written 09:30", _time),
    "datetime-local": Native("a date and time, written 2026-12-05T09:30", _datetime),
    "color": Native("a colour, written #ff8000", _colour),
    "range": Native("a number", _range),
}
"""The values that each type of input element accepts."""
NEVER_EMPTY = ("color", "range")


def describe_takes(kind: str, limits: Limits) -> str:
    """Describe the values that a field accepts."""
    if kind != "range":
        return NATIVES[kind].takes
    least, most, step = (format(each.normalize(), "f") for each in parse_range(limits))
    return f"a number from {least} to {most}" + (f" in steps of {step}" if step not in ("0", "1") else "")


def native_value(kind: str, text: str, limits: Limits) -> str | None:
    """Return the value to put into a field; None if the field does not accept the text."""
    text = text.strip()
    if not text:
        return None if kind in NEVER_EMPTY else ""
    return NATIVES[kind].read(text, limits)


def native_default(kind: str, given: str, limits: Limits) -> str:
    """Return a field's value when its page is opened, given its attribute ``value``."""
    value = native_value(kind, given, limits)
    if value is not None:
        return value
    return {"color": "#000000", "range": _nearest(given, limits)}.get(kind, "")


def _nearest(given: str, limits: Limits) -> str:
    """Return the value of a range that is nearest to a number; the range's middle if none is given."""
    least, most, step = parse_range(limits)
    number = parse_number(given)
    value = least + (max(most, least) - least) / 2 if number is None else min(max(number, least), most)
    if step:
        value = least + ((value - least) / step).to_integral_value(ROUND_HALF_UP) * step
        value -= step if value > most > least else 0
    return format(value.normalize(), "f")
