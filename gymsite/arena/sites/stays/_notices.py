"""What the pop-ups of the booking site say. All of it is true, and none of it tells what a task asks for."""

from __future__ import annotations

from collections.abc import Mapping

from gymsite.arena.sites import notices
from gymsite.arena.sites.site import Visit
from gymsite.arena.sites.stays._labels import labels_of

# Title and text; the time is that of the episode's clock, in its zone.
SAID: Mapping[notices.Name, tuple[str, str]] = {
    "cookies": (
        "Cookies",
        "Staywell keeps your language and your last searches in cookies. They hold nothing else.",
    ),
    "newsletter": (
        "Letters from {town}",
        "Once a month we write about houses that few people know. Would you like to read along?",
    ),
    "sign_up": (
        "Join the Staywell Club",
        "Members get a stamp for every night. You can search and book without an account as well.",
    ),
    "prices": (
        "Prices checked again",
        "We checked the prices of rooms again at {time}. Those on this page are the ones that hold now.",
    ),
    "session": (
        "Are you still there?",
        "It is {time}. You have been looking around for a while; do you want to stay signed in?",
    ),
}


def pop_up_due(visit: Visit) -> dict[str, object] | None:
    """The pop-up of this page, as its template takes it."""
    labels = labels_of(visit.look.labels)
    return notices.drawn(visit, SAID, labels, town=visit.world.town.name, time=f"{visit.now:%H:%M}")
