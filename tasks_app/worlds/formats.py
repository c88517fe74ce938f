"""Dates and counts in the text view of a world, as the neutral look of its pages writes them."""

from __future__ import annotations

from datetime import date

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def day_text(day: date) -> str:
    """Write ``4 March 2033``."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def month_text(month: date) -> str:
    """Write ``March 2033``, of any day in it."""
    return f"{MONTHS[month.month - 1]} {month.year}"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def with_article(noun: str) -> str:
    """Write ``a tent``, ``an air fryer``; goes by the first letter, so not for "hour" or "unicorn"."""
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"
