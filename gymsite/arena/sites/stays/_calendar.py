"""A month of a room's calendar: which nights are free, and what each of them costs."""

from __future__ import annotations

from calendar import Calendar
from datetime import date, timedelta
from typing import Any

from gymsite.arena.sites.stays._wording import first_weekday, month_text, weekdays
from tasks_app.worlds.stays.calendar import last_day, night_price, nights_mask, taken
from tasks_app.worlds.stays.quotes import euros
from tasks_app.worlds.stays.state import State
from tasks_app.worlds.stays.types import Listing, Room, Stay, World


def list_months(world: World) -> list[date]:
    """List the months that have nights in the calendar, each by its first day."""
    end = last_day(world) - timedelta(days=1)
    first = world.first_day.replace(day=1)
    firsts = []
    while first <= end:
        firsts.append(first)
        first = (first + timedelta(days=31)).replace(day=1)
    return firsts


def month_read(world: World, text: str, *, stay: Stay | None) -> date:
    """Return the requested month, such as ``2033-03``, or else the month of arrival or the first month."""
    offered = {f"{month:%Y-%m}": month for month in list_months(world)}
    arrival = f"{stay.check_in:%Y-%m}" if stay else ""
    return offered.get(text) or offered.get(arrival) or next(iter(offered.values()))


def month_card(
    world: World, state: State, listing: Listing, room: Room, month: date, *, stay: Stay | None, locale: str
) -> dict[str, Any]:
    """Build the context of a month and its weeks; the nights of ``stay`` are marked as a band."""
    offered = list_months(world)
    index = offered.index(month)
    weeks = Calendar(first_weekday(locale)).monthdatescalendar(month.year, month.month)
    return {
        "title": month_text(month),
        "weekdays": [(name[:3], name) for name in weekdays(locale)],
        "weeks": [
            [
                {**_cell(world, state, listing, room, day, month), "band": _band(day, month, stay)}
                for day in week
            ]
            for week in weeks
        ],
        "before": f"{offered[index - 1]:%Y-%m}" if index else "",
        "before_title": month_text(offered[index - 1]) if index else "",
        "after": f"{offered[index + 1]:%Y-%m}" if index + 1 < len(offered) else "",
        "after_title": month_text(offered[index + 1]) if index + 1 < len(offered) else "",
    }


def list_nights(
    world: World, state: State, listing: Listing, room: Room, month: date, *, kind: str
) -> list[date]:
    """List the nights of a month that its calendar shows as ``kind``: ``free`` (with price) or ``full``."""
    days = Calendar().itermonthdates(month.year, month.month)
    return [day for day in days if _cell(world, state, listing, room, day, month)["kind"] == kind]


def _band(day: date, month: date, stay: Stay | None) -> str:
    """Return the CSS classes that mark a night of the stay; "" for other nights."""
    if stay is None or day.month != month.month or not stay.check_in <= day < stay.check_out:
        return ""
    ends = {"is-first": day == stay.check_in, "is-last": day == stay.days[-1]}
    return "".join([" is-chosen", *(f" {name}" for name, is_end in ends.items() if is_end)])


def _cell(world: World, state: State, listing: Listing, room: Room, day: date, month: date) -> dict[str, str]:
    if day.month != month.month:
        return {"kind": "outside"}
    cell = {"day": str(day.day)}
    if day.month != month.month or not world.first_day <= day < last_day(world):
        return {**cell, "kind": "closed", "text": "\N{EN DASH}"}
    if any(
        trip.room == room.id and trip.status == "booked" and trip.check_in <= day < trip.check_out
        for trip in state.trips
    ):
        return {**cell, "kind": "yours", "text": "Yours"}
    if taken(room) & nights_mask(world, day, day + timedelta(days=1)):
        return {**cell, "kind": "full", "text": "Full"}
    return {**cell, "kind": "free", "text": euros(night_price(world, listing, room, day))}
