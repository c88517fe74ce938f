"""A room's calendar as text. Nights are counted from the first day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import groupby

from tasks_app.worlds.formats import MONTHS, month_text
from tasks_app.worlds.stays.calendar import night_price, nights_mask, taken
from tasks_app.worlds.stays.quotes import euros
from tasks_app.worlds.stays.types import Listing, Room, World

NIGHT_TOKENS = 8
"""Tokens of a free night, such as ``, 4: 82.50``; no night costs 1,000 euros."""
RUN_TOKENS = 8
"""Tokens of consecutive nights that cannot be booked, such as ``, 4 to 9: full``."""
LONE_TOKENS = 5
"""Tokens of a single night that cannot be booked, such as ``, 4: full``."""
MONTH_TOKENS = 5
"""Tokens of ``- March 2033:``, minus the comma that its first night does not have."""
LONG_NAME = 9
"""Length from which a month's name takes one more token."""


class RoomNights:
    def __init__(self, world: World, listing: Listing, room: Room) -> None:
        self._world, self._listing, self._room = world, listing, room
        self._full, self._own = taken(room), 0
        for trip in world.trips:
            if trip.room == room.id and trip.status == "booked":
                self._own |= nights_mask(world, trip.check_in, trip.check_out)

    def month_line(self, span: range) -> str:
        """Write the nights of one month: ``- March 2033: 4: 82.50, 5: 84.10, 6 to 9: full``."""
        runs = groupby(span, key=lambda night: self._kind(night) or night)
        nights = ", ".join(self._run(kind, list(nights)) for kind, nights in runs)
        return f"- {month_text(self._day(span.start))}: {nights}"

    def tokens(self, span: range) -> int:
        """Count the tokens of ``month_line``."""
        inside = (1 << len(span)) - 1
        own = self._own >> span.start & inside
        full = self._full >> span.start & inside & ~own
        free = len(span) - own.bit_count() - full.bit_count()
        return (
            MONTH_TOKENS
            + (len(MONTHS[self._day(span.start).month - 1]) >= LONG_NAME)
            + NIGHT_TOKENS * free
            + _runs_tokens(own)
            + _runs_tokens(full)
        )

    def _run(self, kind: str | int, nights: list[int]) -> str:
        first, last = self._day(nights[0]).day, self._day(nights[-1]).day
        if isinstance(kind, str):
            return f"{first} to {last}: {kind}" if last > first else f"{first}: {kind}"
        return f"{first}: {euros(night_price(self._world, self._listing, self._room, self._day(kind)))}"

    def _kind(self, night: int) -> str:
        """Return why a night cannot be booked, or an empty string if it is free."""
        if self._own >> night & 1:
            return "yours"
        return "full" if self._full >> night & 1 else ""

    def _day(self, night: int) -> date:
        return self._world.first_day + timedelta(days=night)


def tokens_bounds(spans: Sequence[range]) -> tuple[int, int]:
    """Return the minimum and maximum number of tokens that the spans take for any room."""
    most = MONTH_TOKENS + 1
    return (MONTH_TOKENS + LONE_TOKENS) * len(spans), most * len(spans) + NIGHT_TOKENS * sum(map(len, spans))


def _runs_tokens(nights: int) -> int:
    """Count the tokens of a bit mask's runs of nights that cannot be booked."""
    starts, ends = nights & ~(nights << 1), nights & ~(nights >> 1)
    return RUN_TOKENS * starts.bit_count() - (RUN_TOKENS - LONE_TOKENS) * (starts & ends).bit_count()
