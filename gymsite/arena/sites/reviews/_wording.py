"""How the shop writes days, months, money and ratings."""

from __future__ import annotations

from datetime import date

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
LANGUAGES = {
    "de": "German", "es": "Spanish", "fr": "French", "it": "Italian", "nl": "Dutch", "pt": "Portuguese",
}  # fmt: skip
STARS = 5


def day_text(day: date) -> str:
    """``4 March 2033``."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def month_text(month: str) -> str:
    """``2033-03`` as ``March 2033``."""
    year, number = month.split("-")
    return f"{MONTHS[int(number) - 1]} {year}"


def money(cents: int) -> str:
    return f"€{cents // 100}.{cents % 100:02d}"


def stars_text(stars: int) -> str:
    return f"{stars} star{'s' * (stars != 1)}"


def rating_text(tenths: int) -> str:
    """A mean of 39 tenths as ``3.9 of 5 stars``."""
    return f"{tenths / 10:.1f} of {STARS} stars"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def several(noun: str) -> str:
    """The plural, as the head of a list: ``Kettles``."""
    ending = "es" if noun.endswith(("s", "sh", "ch", "x")) else "s"
    return f"{noun}{ending}".capitalize()
