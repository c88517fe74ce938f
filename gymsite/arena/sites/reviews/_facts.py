"""The names under which a page notes what it has shown: those that tasks use for what they need."""

from __future__ import annotations

from collections.abc import Iterable

from gymsite.arena.sites.site import Event


def shown(facts: Iterable[str]) -> Event:
    """Facts that the page's bytes hold."""
    return "shown", {"facts": sorted(set(facts))}


def front(review: str) -> str:
    """Title, facts and the text before "Read more"."""
    return f"review {review}"


def more(review: str) -> str:
    return f"review {review} more"


def reply(review: str) -> str:
    return f"review {review} reply"
