"""What an episode's site events say of the pages that its visitor saw, whatever the site."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

POP_UP_SHOWN = "pop_up_shown"
"""``{name}``: a page has drawn what lies over it until it is closed."""
POP_UP_CLOSED = "banner_closed"
"""``{name}``: the visitor has closed it."""
SHOWN = "shown"
"""``{facts}``: names of what a page's bytes held, as tasks name what they need."""
COMMON_KINDS = ("page_served", "answer_recorded", "tool_called")
"""Noted for every episode, whatever its kind: no site folds them, and they do not count."""
LOOKS_MAX = 800
"""With so many events of a site its looks are noted no more, so that something can still be done: what was
seen afterwards is not known."""

Event = tuple[str, Mapping[str, Any]]


def pop_ups_open(events: Iterable[Event]) -> tuple[str, ...]:
    """Names of what was drawn over a page and not closed since, in the order in which they came."""
    found: dict[str, None] = {}
    for kind, data in events:
        if kind == POP_UP_SHOWN:
            found[data["name"]] = None
        elif kind == POP_UP_CLOSED:
            found.pop(data["name"], None)
    return tuple(found)


def is_whole(events: Iterable[Event]) -> bool:
    """Whether every look was noted."""
    return sum(kind not in COMMON_KINDS for kind, _ in events) < LOOKS_MAX


def facts_shown(events: Iterable[Event]) -> frozenset[str]:
    return frozenset(fact for kind, data in events if kind == SHOWN for fact in data["facts"])
