"""Pauses between the attempts of a call."""

from __future__ import annotations

import random
from collections.abc import Mapping

RETRY_AFTER_MAX_S = 60.0


def pause_s(attempt: int, *, first_s: float, longest_s: float) -> float:
    """Pauses that double from ``first_s``, with jitter, so that many clients do not return at once."""
    return min(longest_s, first_s * float(2**attempt)) * random.uniform(0.5, 1.0)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """The seconds that a ``Retry-After`` header asks for, at most ``RETRY_AFTER_MAX_S``; None without one."""
    try:
        return max(0.0, min(float(headers.get("Retry-After", "")), RETRY_AFTER_MAX_S))
    except ValueError:
        return None
