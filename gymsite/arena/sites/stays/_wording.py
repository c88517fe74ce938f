"""The site's format for days, months, guests and money; that of days depends on the look's locale."""

from __future__ import annotations

from datetime import date

from tasks_app.worlds.formats import MONTHS, counted
from tasks_app.worlds.stays.quotes import euros

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTH_FIRST = "en-US"
"""The locale in which the month precedes the day, and weeks begin on Sunday."""


def day_text(day: date, locale: str) -> str:
    """Write ``Fri 4 March 2033``, or ``Fri, March 4, 2033``."""
    weekday, month = WEEKDAYS[day.weekday()][:3], MONTHS[day.month - 1]
    if locale == MONTH_FIRST:
        return f"{weekday}, {month} {day.day}, {day.year}"
    return f"{weekday} {day.day} {month} {day.year}"


def first_weekday(locale: str) -> int:
    """Return the number of the week's first day, where Monday is 0."""
    return 6 if locale == MONTH_FIRST else 0


def weekdays(locale: str) -> tuple[str, ...]:
    first = first_weekday(locale)
    return (*WEEKDAYS[first:], *WEEKDAYS[:first])


def month_text(month: date) -> str:
    return f"{MONTHS[month.month - 1]} {month.year}"


def guests_text(guests: int) -> str:
    return counted(guests, "guest")


def nights_text(nights: int) -> str:
    return counted(nights, "night")


def money(cents: int) -> str:
    return f"EUR {euros(cents)}"


def points(tenths: int) -> str:
    """Write a rating of 82 tenths as ``8.2``."""
    return f"{tenths / 10:.1f}"
