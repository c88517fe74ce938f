"""Confirmation codes: which stay they name cannot be told without the world's key."""

from __future__ import annotations

from core.draws import Draws
from tasks_app.worlds.stays.types import Stay

_LETTERS = "BCDFGHJKLMNPQRSTVWXZ23456789"


def trip_code(key: bytes, room: str, stay: Stay, *, before: int = 0) -> str:
    """The code of a booking of a room; ``before`` counts earlier bookings of the very same stay."""
    draws = Draws(
        key, "code", room, stay.check_in.isoformat(), stay.check_out.isoformat(), stay.guests, before
    )
    return "".join(draws.pick(_LETTERS) for _ in range(6))
