"""The outcomes of an action check, which compares a declared action with what the page recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CheckId = Literal["confirmed", "no_effect", "different_effect", "unexplained", "unknown", "none"]
Tone = Literal["good", "warn", "bad", "plain"]


@dataclass(frozen=True, kw_only=True)
class Check:
    """An outcome as pages show it; ``published`` is its name in the REST API.

    Lists show only outcomes that have a ``sign``.
    """

    published: str
    label: str
    tone: Tone = "plain"
    sign: str = ""
    is_mismatch: bool = False


CHECKS: dict[str, Check] = {
    "confirmed": Check(published="confirmed", label="Confirmed", tone="good", sign="✓"),
    "no_effect": Check(
        published="not_seen", label="Action had no effect", tone="warn", sign="∅", is_mismatch=True
    ),
    "different_effect": Check(
        published="different", label="Effect differs from action", tone="bad", sign="≠", is_mismatch=True
    ),
    "unexplained": Check(
        published="extra", label="Unexplained events", tone="warn", sign="+", is_mismatch=True
    ),
    "unknown": Check(published="unknown", label="Effect unknown"),
    "none": Check(published="none", label="No effect expected"),
}
MISMATCHES = tuple(id_ for id_, check in CHECKS.items() if check.is_mismatch)
# Columns of ``EpisodeFacts`` that the REST API publishes under another name.
PUBLISHED_COLUMNS = {
    **{id_: CHECKS[id_].published for id_ in ("confirmed", *MISMATCHES)},
    "unexplained_events": "extra_events",
}
