"""What the shop's pop-ups say. All of it is true, and none of it is about reviews."""

from __future__ import annotations

from collections.abc import Mapping

from gymsite.arena.sites import notices
from gymsite.arena.sites.reviews._labels import labels_of
from gymsite.arena.sites.reviews._wording import time_text
from gymsite.arena.sites.site import Visit

SAID: Mapping[notices.Name, tuple[str, str]] = {
    "cookies": (
        "Cookies",
        "We keep two small cookies to remember your basket and your language.",
    ),
    "newsletter": (
        "A letter a month?",
        "New arrivals, how they are made, and now and then a voucher. You can stop it at any time.",
    ),
    "sign_up": (
        "Join the Goodwares club",
        "Members collect points with every order. You can look at everything without an account as well.",
    ),
    "prices": (
        "Prices checked",
        "We have compared our prices this morning. Those that you see are the ones that hold today.",
    ),
    "session": (
        "Are you still there?",
        "It is {time}. Visits in which nothing happens are ended.",
    ),
}


def pop_up_due(visit: Visit) -> dict[str, object] | None:
    """The pop-up of this page, as its template takes it."""
    time = time_text(visit.now, locale=visit.look.locale)
    return notices.drawn(visit, SAID, labels_of(visit.look.labels), time=time)
