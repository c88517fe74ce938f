"""Pauses between the attempts of a call."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

RETRY_AFTER_MAX_S = 60.0


def pause_s(attempt: int, *, first_s: float, longest_s: float) -> float:
    """Pauses that double from ``first_s``, with jitter, so that many clients do not return at once."""
    return min(longest_s, first_s * float(2**attempt)) * random.uniform(0.5, 1.0)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server asks to wait, at most ``RETRY_AFTER_MAX_S``; None where it does not say.

    ``Retry-After`` holds seconds or a date (RFC 9110, 10.2.3), ``retry-after-ms`` milliseconds, as OpenAI's
    own client reads it first.
    """
    wait_s = _number(headers.get("retry-after-ms"), divisor=1000)
    if wait_s is None:
        wait_s = _number(headers.get("Retry-After"))
    if wait_s is None:
        wait_s = _until(headers.get("Retry-After"))
    return None if wait_s is None else max(0.0, min(wait_s, RETRY_AFTER_MAX_S))


def _number(text: str | None, *, divisor: int = 1) -> float | None:
    try:
        value = float(text or "") / divisor
    except ValueError:
        return None
    return None if math.isnan(value) else value


def _until(date: str | None) -> float | None:
    """The seconds until an HTTP date, which is in UTC."""
    try:
        then = parsedate_to_datetime(date or "")
    except ValueError:
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=timezone.utc)
    return (then - datetime.now(timezone.utc)).total_seconds()
