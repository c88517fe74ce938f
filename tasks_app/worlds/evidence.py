"""What the site events of an episode, on any site, say about the pages that were seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

POP_UP_SHOWN = "pop_up_shown"
"""``{name}``: a page has shown a pop-up."""
POP_UP_CLOSED = "banner_closed"
"""``{name}``: the visitor has closed a pop-up."""
SHOWN = "shown"
"""``{facts}``: the facts on a page, by the names that tasks use in ``needs``."""
COMMON_KINDS = ("page_served", "answer_recorded", "tool_called")
"""Recorded for episodes of every kind: no site folds them, and they do not count towards limits."""
LOOKS_MAX = 800
"""After so many site events page views are no longer recorded, which leaves room for changes. What was seen
afterwards is unknown."""

Event = tuple[str, Mapping[str, Any]]


def pop_ups_open(events: Iterable[Event]) -> tuple[str, ...]:
    """Names of the pop-ups that were shown and not closed since, in order."""
    names: dict[str, None] = {}
    for kind, data in events:
        if kind == POP_UP_SHOWN:
            names[data["name"]] = None
        elif kind == POP_UP_CLOSED:
            names.pop(data["name"], None)
    return tuple(names)


def is_whole(events: Iterable[Event]) -> bool:
    """Whether every page view was recorded."""
    return sum(kind not in COMMON_KINDS for kind, _ in events) < LOOKS_MAX


def facts_shown(events: Iterable[Event]) -> frozenset[str]:
    return frozenset(fact for kind, data in events if kind == SHOWN for fact in data["facts"])
