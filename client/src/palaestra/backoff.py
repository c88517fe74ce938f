"""Pauses between the attempts of a call."""

from __future__ import annotations

import math
import random
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

RETRY_AFTER_MAX_S = 60.0
_UNITS_S: Mapping[str, float] = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?\s*(?:ms|[hms](?:[a-z]+)?)\s*)+", re.IGNORECASE)
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|[hms])", re.IGNORECASE)
# Numbers from here on are moments, as seconds since 1970: a wait of thirty years is none.
_FIRST_MOMENT = 1e9


def pause_s(attempt: int, *, first_s: float, longest_s: float) -> float:
    """Pauses that double from ``first_s``, with jitter, so that many clients do not return at once."""
    return min(longest_s, first_s * float(2**attempt)) * random.uniform(0.5, 1.0)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server asks to wait, at most ``RETRY_AFTER_MAX_S``; None where it does not say.

    ``Retry-After`` holds seconds or a date (RFC 9110, 10.2.3), and with some servers a duration ("1m30s") or
    a moment; ``retry-after-ms`` holds milliseconds, as OpenAI's own client reads it first.
    """
    text = (headers.get("Retry-After") or "").strip()
    wait_s = _number(headers.get("retry-after-ms"), divisor=1000)
    for read in (_number, _duration, _until):
        wait_s = read(text) if wait_s is None else wait_s
    return None if wait_s is None else max(0.0, min(wait_s, RETRY_AFTER_MAX_S))


def _number(text: str | None, *, divisor: int = 1) -> float | None:
    try:
        value = float(text or "") / divisor
    except ValueError:
        return None
    if math.isnan(value):
        return None
    return value - time.time() if _FIRST_MOMENT <= value < math.inf else value


def _duration(text: str) -> float | None:
    if not _DURATION.fullmatch(text):
        return None
    return sum(float(count) * _UNITS_S[unit.lower()] for count, unit in _PART.findall(text))


def _until(date: str) -> float | None:
    """The seconds until an HTTP date, or one of ISO 8601, which is in UTC unless it says otherwise."""
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        with suppress(ValueError):
            then = read(date)
            then = then if then.tzinfo else then.replace(tzinfo=timezone.utc)
            return (then - datetime.now(timezone.utc)).total_seconds()
    return None
