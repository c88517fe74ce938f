"""Evidence of the pages that an episode has seen, from its site events, for any site.

A fact is something that the bytes of a response revealed, whatever the page; its name says what. Names that
end in two days, the first and the one after the last, are about nights: ``X/price/A/B`` is their total price,
``X/prices/A/B`` the price of each, ``X/full/A/B`` that at least one is unavailable, and ``X/fulls/A/B`` that
all are.

A need is met by the fact of the same name or by facts from which it follows. ``A or B`` needs one of the two.
``X/price/A/B`` needs any facts that give that sum. ``X/none_free/A/B/N`` needs facts that rule out every
stretch of N nights that begins on A or later and before B.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any

POP_UP_SHOWN = "pop_up_shown"
"""``{name}``: a page showed a pop-up."""
POP_UP_CLOSED = "banner_closed"
"""``{name}``: the visitor closed a pop-up."""
SHOWN = "shown"
"""``{facts}``: the facts on a page, under the names that tasks use in ``needs``."""
PAGE_SERVED = "page_served"
PAGES_CAPPED = "pages_capped"
"""The episode reached its limit on recorded page views, so later ones are not recorded."""
ANSWER_RECORDED = "answer_recorded"
TOOL_CALLED = "tool_called"
COMMON_KINDS = (PAGE_SERVED, PAGES_CAPPED, ANSWER_RECORDED, TOOL_CALLED)
"""Kinds that are recorded on every site. No site folds them, and they do not count towards limits."""
LOOKS_MAX = 800
"""Number of site events after which page views are no longer recorded, to leave room for changes.

What an episode saw after that is unknown.
"""

Event = tuple[str, Mapping[str, Any]]
Span = tuple[date, date]
"""Nights as the first day and the day after the last."""
SPANS = ("price", "full")
OR = " or "
"""Separates alternative ways of showing the same thing."""


def pop_ups_open(events: Iterable[Event]) -> tuple[str, ...]:
    """List the pop-ups that were shown and have not been closed since, in order."""
    names: dict[str, None] = {}
    for kind, data in events:
        if kind == POP_UP_SHOWN:
            names[data["name"]] = None
        elif kind == POP_UP_CLOSED:
            names.pop(data["name"], None)
    return tuple(names)


def is_whole(events: Iterable[Event]) -> bool:
    """Return whether all page views were recorded."""
    return sum(kind not in COMMON_KINDS for kind, _ in events) < LOOKS_MAX


class Shown:
    """The facts that have been shown so far."""

    def __init__(self, facts: Iterable[str] = ()) -> None:
        self._facts: set[str] = set()
        self._spans: defaultdict[str, set[Span]] = defaultdict(set)
        """Stretches of nights by subject and kind, such as ``X/price``; only for ``price`` and ``full``."""
        self.add(facts)

    def add(self, facts: Iterable[str]) -> None:
        for fact in set(facts) - self._facts:
            self._facts.add(fact)
            for kind in SPANS:
                subject, mark, days = fact.partition(f"/{kind}")
                if mark:
                    self._spans[subject + mark].update(_spans(days))

    def meets(self, need: str) -> bool:
        return any(way in self._facts or self._implies(way) for way in need.split(OR))

    def _implies(self, need: str) -> bool:
        subject, mark, days = need.partition("/price/")
        if mark:
            return _is_connected(*_days(days), self._spans[f"{subject}/price"])
        subject, mark, days = need.partition("/none_free/")
        if not mark:
            return False
        days, _, nights = days.rpartition("/")
        first, last = _days(days)
        full = self._spans[f"{subject}/full"]
        starts = (first + timedelta(days=day) for day in range((last - first).days))
        return all(_is_within(start, start + timedelta(days=int(nights)), full) for start in starts)


def facts_shown(events: Iterable[Event]) -> Shown:
    return Shown(fact for kind, data in events if kind == SHOWN for fact in data["facts"])


def _days(text: str) -> Span:
    first, last = map(date.fromisoformat, text.split("/"))
    return first, last


def _spans(text: str) -> list[Span]:
    """Parse ``/A/B`` as one stretch of nights, and the plural ``s/A/B`` as a stretch for each night."""
    plural, _, days = text.partition("/")
    first, last = _days(days)
    if not plural:
        return [(first, last)]
    nights = (first + timedelta(days=day) for day in range((last - first).days))
    return [(night, night + timedelta(days=1)) for night in nights]


def _is_connected(first: date, last: date, sums: Iterable[Span]) -> bool:
    """Return whether the price of the nights follows from the given sums by adding and subtracting."""
    reached, left = {first}, set(sums)
    while last not in reached:
        touching = {span for span in left if (span[0] in reached) != (span[1] in reached)}
        if not touching:
            return False
        reached |= {day for span in touching for day in span}
        left -= touching
    return True


def _is_within(first: date, last: date, spans: Iterable[Span]) -> bool:
    return any(first <= start and end <= last for start, end in spans)
