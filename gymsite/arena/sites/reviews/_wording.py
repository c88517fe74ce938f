"""The shop's format for days, times, months, money and ratings, by the look's locale if they differ."""

from __future__ import annotations

from datetime import date, datetime

from tasks_app.worlds.formats import MONTHS, counted

STARS = 5


def day_text(day: date, *, locale: str) -> str:
    """Write ``4 March 2033``, or ``March 4, 2033``."""
    month = MONTHS[day.month - 1]
    return f"{month} {day.day}, {day.year}" if locale == "en-US" else f"{day.day} {month} {day.year}"


def time_text(moment: datetime, *, locale: str) -> str:
    """Write ``14:05``, or ``2:05 PM``, in the moment's own time zone."""
    if locale != "en-US":
        return f"{moment:%H:%M}"
    return f"{moment.hour % 12 or 12}:{moment:%M} {'AM' if moment.hour < 12 else 'PM'}"


def month_text(month: str) -> str:
    """Write ``2033-03`` as ``March 2033``."""
    year, number = month.split("-")
    return f"{MONTHS[int(number) - 1]} {year}"


def money(cents: int) -> str:
    return f"€{cents // 100}.{cents % 100:02d}"


def stars_text(stars: int) -> str:
    return counted(stars, "star")


def rating_text(tenths: int) -> str:
    """Write a mean of 39 tenths of a star as ``3.9 out of 5 stars``."""
    return f"{tenths / 10:.1f} out of {STARS} stars"


def plural(noun: str) -> str:
    """Write a noun's plural, capitalised for the heading of a list: ``Kettles``."""
    ending = "es" if noun.endswith(("s", "sh", "ch", "x")) else "s"
    return f"{noun}{ending}".capitalize()
