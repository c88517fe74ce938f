"""The texts of the booking site's pop-ups: all of them true, none of them about what a task asks."""

from __future__ import annotations

from collections.abc import Mapping

from gymsite.arena.sites import notices
from gymsite.arena.sites.site import Visit
from gymsite.arena.sites.stays._labels import labels_of

# Title and text. The time is the episode's clock, in its zone.
TEXTS: Mapping[notices.Name, tuple[str, str]] = {
    "cookies": (
        "We use cookies",
        "Staywell uses cookies to remember your language and your recent searches, and for nothing else.",
    ),
    "newsletter": (
        "News from {town}",
        "Sign up for our monthly newsletter and be the first to hear about new places to stay.",
    ),
    "sign_up": (
        "Join the Staywell Club",
        "Members earn a stamp for every night. You can also search and book without an account.",
    ),
    "prices": (
        "Prices are up to date",
        "We last checked room prices at {time}. The prices on this page are current.",
    ),
    "session": (
        "Are you still there?",
        "It is {time}, and you have been browsing for a while. Would you like to stay signed in?",
    ),
}


def pop_up_due(visit: Visit) -> dict[str, object] | None:
    """The pop-up of this page, as its template takes it."""
    labels = labels_of(visit.look.labels)
    return notices.pop_up_make(visit, TEXTS, labels, town=visit.world.town.name, time=f"{visit.now:%H:%M}")
