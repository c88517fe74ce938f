"""The dates and guests that a visitor asks for. What no page offers is refused in words or left out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from urllib.parse import urlencode

from django.http import QueryDict

from gymsite.arena.sites.stays._wording import day_text, guests_text
from tasks_app.worlds.stays.calendar import last_day
from tasks_app.worlds.stays.types import Stay, World

GUESTS = tuple(range(1, 7))
DAY_LENGTH = len("2033-03-04")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """``stay`` when both dates are good; ``errors`` by field; ``given`` is what the fields show again."""

    stay: Stay | None
    guests: int
    errors: dict[str, str]
    given: dict[str, str]

    @property
    def text(self) -> str:
        if self.stay is None:
            return ""
        return (
            f"{day_text(self.stay.check_in)} to {day_text(self.stay.check_out)}, {guests_text(self.guests)}"
        )

    @property
    def query(self) -> str:
        """The dates as an address's query, empty without them."""
        return urlencode(stay_query(self.stay)) if self.stay else ""


def stay_query(stay: Stay) -> dict[str, str]:
    return {
        "check_in": stay.check_in.isoformat(),
        "check_out": stay.check_out.isoformat(),
        "guests": str(stay.guests),
    }


def asked_read(world: World, query: QueryDict, *, guests: int | None = None) -> Asked:
    """What the query asks for; ``guests`` fixes their number."""
    given = {name: query.get(name, "").strip()[:40] for name in ("check_in", "check_out")}
    people = guests or number_read(query.get("guests", ""), GUESTS) or 2
    if not any(given.values()):
        return Asked(stay=None, guests=people, errors={}, given=given)
    check_in, check_out = (day_read(text) for text in given.values())
    errors = _errors(world, check_in, check_out)
    stay = None
    if check_in and check_out and not errors:
        stay = Stay(check_in=check_in, check_out=check_out, guests=people)
    return Asked(stay=stay, guests=people, errors=errors, given=given)


def day_read(text: str) -> date | None:
    """A day written as ``2033-03-04`` and no other way."""
    try:
        return date.fromisoformat(text) if len(text) == DAY_LENGTH else None
    except ValueError:
        return None


def number_read(text: str, offered: tuple[int, ...] | range) -> int | None:
    return next((number for number in offered if text == str(number)), None)


def _errors(world: World, check_in: date | None, check_out: date | None) -> dict[str, str]:
    found = {
        name: "Write the day as year-month-day, like 2033-03-04."
        for name, day in (("check_in", check_in), ("check_out", check_out))
        if day is None
    }
    if check_in is None or check_out is None:
        return found
    latest = last_day(world) - timedelta(days=1)
    if not world.first_day <= check_in <= latest:
        found["check_in"] = f"Choose a day from {day_text(world.first_day)} to {day_text(latest)}."
    elif check_out <= check_in:
        found["check_out"] = "The day of departure must be after the day of arrival."
    elif check_out > last_day(world):
        found["check_out"] = f"Stays end by {day_text(last_day(world))}."
    return found
