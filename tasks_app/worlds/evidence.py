"""Evidence in an episode's site events, on any site, of the pages that were seen.

A fact is what the bytes of a response told, whatever the page; its name says of what. Names that end in days,
from the first to the one after the last, tell of nights: ``X/price/A/B`` the price of all of them together,
``X/prices/A/B`` that of each, ``X/full/A/B`` that one of them cannot be had, ``X/fulls/A/B`` that none can.

A need is met by its own fact, or by facts that it follows from. ``A or B`` needs one of several,
``X/price/A/B`` whatever gives that sum, and ``X/none_free/A/B/N`` that no stretch of N nights can be had that
begins from A to before B.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any

POP_UP_SHOWN = "pop_up_shown"
"""``{name}``: a page has shown a pop-up."""
POP_UP_CLOSED = "banner_closed"
"""``{name}``: the visitor has closed a pop-up."""
SHOWN = "shown"
"""``{facts}``: the facts on a page, by the names that tasks use in ``needs``."""
PAGE_SERVED = "page_served"
PAGES_CAPPED = "pages_capped"
"""The episode has reached its limit on recorded page views: later ones are not recorded."""
ANSWER_RECORDED = "answer_recorded"
TOOL_CALLED = "tool_called"
COMMON_KINDS = (PAGE_SERVED, PAGES_CAPPED, ANSWER_RECORDED, TOOL_CALLED)
"""Recorded for episodes of every kind: no site folds them, and they do not count towards limits."""
LOOKS_MAX = 800
"""The number of site events after which page views are no longer recorded: it leaves room for changes. What
was seen afterwards is unknown."""

Event = tuple[str, Mapping[str, Any]]
Span = tuple[date, date]
"""Nights, from the first day to the one after the last."""
SPANS = ("price", "full")
OR = " or "
"""Separates the ways of showing one thing."""


def pop_ups_open(events: Iterable[Event]) -> tuple[str, ...]:
    """List the pop-ups that were shown and not closed since, in order."""
    names: dict[str, None] = {}
    for kind, data in events:
        if kind == POP_UP_SHOWN:
            names[data["name"]] = None
        elif kind == POP_UP_CLOSED:
            names.pop(data["name"], None)
    return tuple(names)


def is_whole(events: Iterable[Event]) -> bool:
    """Return whether every page view was recorded."""
    return sum(kind not in COMMON_KINDS for kind, _ in events) < LOOKS_MAX


class Shown:
    """The facts that were shown so far."""

    def __init__(self, facts: Iterable[str] = ()) -> None:
        self._facts: set[str] = set()
        self._spans: defaultdict[str, set[Span]] = defaultdict(set)
        """Stretches of nights by subject and kind, such as ``X/price``: of ``price`` and ``full`` alone."""
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
    """Parse one stretch of nights, or with the plural each night of it: ``/A/B`` and ``s/A/B``."""
    plural, _, days = text.partition("/")
    first, last = _days(days)
    if not plural:
        return [(first, last)]
    nights = (first + timedelta(days=day) for day in range((last - first).days))
    return [(night, night + timedelta(days=1)) for night in nights]


def _is_connected(first: date, last: date, sums: Iterable[Span]) -> bool:
    """Return whether the sum of the nights follows from the given sums, by adding and taking away."""
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
