"""Dates and counts in a world's text view, in the format of its pages' neutral look."""

from __future__ import annotations

from datetime import date

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def day_text(day: date) -> str:
    """Format a day as ``4 March 2033``."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def month_text(month: date) -> str:
    """Format a day's month as ``March 2033``."""
    return f"{MONTHS[month.month - 1]} {month.year}"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def with_article(noun: str) -> str:
    """Add the article, as in ``a tent`` or ``an air fryer``, by the first letter ("hour" would be wrong)."""
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"
