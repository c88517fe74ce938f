"""A visitor's request for dates and guests. Values that are not offered cause a message or are ignored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from urllib.parse import urlencode

from django.http import QueryDict

from gymsite.arena.sites.offers import Offer, not_offered
from gymsite.arena.sites.site import Visit
from gymsite.arena.sites.stays._wording import day_text, guests_text
from tasks_app.worlds.stays.calendar import last_day
from tasks_app.worlds.stays.types import Stay, World

GUESTS = tuple(range(1, 7))
STAY_FIELDS = ("check_in", "check_out", "guests")
GIVEN_CHARS = 40
"""Number of characters of a typed date that are kept in order to show it again."""
DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class StayRequest:
    """A request for a stay. ``stay`` is set if both dates are valid; ``errors`` are by field.

    ``given`` holds the dates as typed, to be shown again. ``notes`` name values that are not offered.
    """

    stay: Stay | None
    guests: int
    errors: dict[str, str]
    given: dict[str, str]
    locale: str
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        if self.stay is None:
            return ""
        days = (day_text(day, self.locale) for day in (self.stay.check_in, self.stay.check_out))
        return f"{' to '.join(days)}, {guests_text(self.guests)}"

    @property
    def query(self) -> str:
        """The stay as a query for addresses; empty if there is no valid stay."""
        return urlencode(stay_query(self.stay)) if self.stay else ""


def stay_query(stay: Stay) -> dict[str, str]:
    return {
        "check_in": stay.check_in.isoformat(),
        "check_out": stay.check_out.isoformat(),
        "guests": str(stay.guests),
    }


def given_in(form: QueryDict, *names: str) -> dict[str, str]:
    """Return the fields that were sent, so that the address of the next page can show them again."""
    return {name: form.get(name, "").strip()[:GIVEN_CHARS] for name in names if name in form}


def request_read(visit: Visit, *, guests: int | None = None, must: bool = False) -> StayRequest:
    """Parse the dates and guests of the form, or else of the address; ``guests`` overrides their number.

    With ``must``, empty date fields are errors rather than a search without dates.
    """
    world: World = visit.world
    query = visit.query if visit.form is None else visit.form
    given = {name: query.get(name, "").strip()[:GIVEN_CHARS] for name in ("check_in", "check_out")}
    people = guests or number_read(query.get("guests", ""), GUESTS) or 2
    locale = visit.look.locale
    notes = () if guests else _notes(visit, query, people)
    if not any(given.values()):
        errors = {name: "Choose a date." for name in given if must and name in query}
        return StayRequest(stay=None, guests=people, errors=errors, given=given, locale=locale, notes=notes)
    check_in, check_out = (day_read(text) for text in given.values())
    errors = _errors(world, given, locale=locale)
    stay = None
    if check_in and check_out and not errors:
        stay = Stay(check_in=check_in, check_out=check_out, guests=people)
    return StayRequest(stay=stay, guests=people, errors=errors, given=given, locale=locale, notes=notes)


def _notes(visit: Visit, query: QueryDict, guests: int) -> tuple[str, ...]:
    label = visit.labels["guests"]
    offer = Offer("guests", label, [str(number) for number in GUESTS], shown=guests_text(guests))
    return tuple(not_offered(query, [offer]))


def day_read(text: str) -> date | None:
    """Parse a date written like ``2033-03-04``; return None for any other notation."""
    try:
        return date.fromisoformat(text) if DAY.fullmatch(text) else None
    except ValueError:
        return None


def number_read(text: str, offered: tuple[int, ...] | range) -> int | None:
    return next((number for number in offered if text == str(number)), None)


def _unread(text: str) -> str:
    """Explain why a text is not a valid date."""
    if DAY.fullmatch(text):
        return "This date does not exist. Check the day and the month."
    return "Enter the date as YYYY-MM-DD, such as 2033-03-04."


def _errors(world: World, given: Mapping[str, str], *, locale: str) -> dict[str, str]:
    errors = {name: _unread(text) for name, text in given.items() if day_read(text) is None}
    check_in, check_out = (day_read(given[name]) for name in ("check_in", "check_out"))
    if check_in is None or check_out is None:
        return errors
    latest = last_day(world) - timedelta(days=1)
    if not world.first_day <= check_in <= latest:
        errors["check_in"] = (
            f"Choose a date from {day_text(world.first_day, locale)} to {day_text(latest, locale)}."
        )
    elif check_out <= check_in:
        errors["check_out"] = "Check-out must be after check-in."
    elif check_out > last_day(world):
        errors["check_out"] = f"Check-out must be on or before {day_text(last_day(world), locale)}."
    return errors
