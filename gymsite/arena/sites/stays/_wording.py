"""How the pages write days, months, guests and money."""

from __future__ import annotations

from datetime import date

from tasks_app.worlds.stays.quotes import euros

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def day_text(day: date) -> str:
    """``Fri 4 March 2033``."""
    return f"{WEEKDAYS[day.weekday()][:3]} {day.day} {MONTHS[day.month - 1]} {day.year}"


def month_text(month: date) -> str:
    return f"{MONTHS[month.month - 1]} {month.year}"


def guests_text(guests: int) -> str:
    return f"{guests} guest{'s' * (guests != 1)}"


def nights_text(nights: int) -> str:
    return f"{nights} night{'s' * (nights != 1)}"


def money(cents: int) -> str:
    return f"EUR {euros(cents)}"


def points(tenths: int) -> str:
    """A rating of 82 as ``8.2``."""
    return f"{tenths / 10:.1f}"
