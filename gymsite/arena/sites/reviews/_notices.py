"""The texts of the shop's pop-ups: all of them true, none of them about reviews."""

from __future__ import annotations

from collections.abc import Mapping

from gymsite.arena.sites import notices
from gymsite.arena.sites.reviews._labels import labels_of
from gymsite.arena.sites.reviews._wording import time_text
from gymsite.arena.sites.site import Visit

TEXTS: Mapping[notices.Name, tuple[str, str]] = {
    "cookies": ("We use cookies", "We use cookies to remember your basket and your language."),
    "newsletter": (
        "Join our newsletter",
        "New arrivals, how they are made, and the occasional voucher. Unsubscribe at any time.",
    ),
    "sign_up": (
        "Join the Goodwares club",
        "Members collect points with every order. You can also browse without an account.",
    ),
    "prices": ("Today's prices", "We compared our prices this morning. The prices you see are valid today."),
    "session": ("Are you still there?", "It is {time}. We end visits after a while without activity."),
}


def pop_up_due(visit: Visit) -> dict[str, object] | None:
    """The pop-up of this page, as its template takes it."""
    time = time_text(visit.now, locale=visit.look.locale)
    return notices.pop_up_make(visit, TEXTS, labels_of(visit.look.labels), time=time)
