"""Pauses between attempts of a call, and while a server restarts."""

from __future__ import annotations

import asyncio
import math
import random
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

RETRY_AFTER_MAX_S = 60.0
PATIENCE_S = 60.0
FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 3.0
_UNITS_S: Mapping[str, float] = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?\s*(?:ms|[hms](?:[a-z]+)?)\s*)+", re.IGNORECASE)
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|[hms])", re.IGNORECASE)
# Larger numbers are points in time, in seconds since 1970, since nobody asks for a wait of thirty years.
_FIRST_MOMENT = 1e9


def compute_pause_s(attempt: int, *, first_s: float, longest_s: float) -> float:
    """Return a pause that doubles with each attempt, with jitter to spread clients that failed together."""
    return min(longest_s, first_s * float(2**attempt)) * random.uniform(0.5, 1.0)


def parse_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds a server asks to wait, at most ``RETRY_AFTER_MAX_S``, or None if it does not.

    ``Retry-After`` contains seconds or a date (RFC 9110, 10.2.3); some servers send a duration ("1m30s") or a
    timestamp. ``retry-after-ms`` contains milliseconds and takes precedence, as in OpenAI's own client.
    """
    text = (headers.get("Retry-After") or "").strip()
    wait_s = _parse_number(headers.get("retry-after-ms"), divisor=1000)
    for read in (_parse_number, _parse_duration, _parse_date):
        wait_s = read(text) if wait_s is None else wait_s
    return None if wait_s is None else max(0.0, min(wait_s, RETRY_AFTER_MAX_S))


def _parse_number(text: str | None, *, divisor: int = 1) -> float | None:
    try:
        value = float(text or "") / divisor
    except ValueError:
        return None
    if math.isnan(value):
        return None
    return value - time.time() if _FIRST_MOMENT <= value < math.inf else value


def _parse_duration(text: str) -> float | None:
    if not _DURATION.fullmatch(text):
        return None
    return sum(float(count) * _UNITS_S[unit.lower()] for count, unit in _PART.findall(text))


def _parse_date(date: str) -> float | None:
    """Return the seconds until an HTTP or ISO 8601 date, which is in UTC unless it gives a time zone."""
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        with suppress(ValueError):
            then = read(date)
            then = then if then.tzinfo else then.replace(tzinfo=timezone.utc)
            return (then - datetime.now(timezone.utc)).total_seconds()
    return None


class Patience:
    """Growing pauses while waiting for a server to restart, for ``limit_s`` seconds from its creation.

    The failure is the server's, and the agent never notices it.
    """

    def __init__(self, limit_s: float = PATIENCE_S) -> None:
        self._deadline = time.monotonic() + limit_s
        self._pauses = 0

    async def pause(self, *, least_s: float = 0.0) -> bool:
        """Wait for longer than ``least_s``; return False immediately if too little time is left."""
        own_s = compute_pause_s(self._pauses, first_s=FIRST_PAUSE_S, longest_s=LONGEST_PAUSE_S)
        pause_s = least_s + own_s
        if time.monotonic() + pause_s > self._deadline:
            return False
        await asyncio.sleep(pause_s)
        self._pauses += 1
        return True
