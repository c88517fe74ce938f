"""What lies over a question's page until it is closed. It never is of any use for the question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from core.draws import Draws
from core.presentation import Look

Comes = Literal["at_once", "later"]
"""With the page, or when something was done there and no other lies open.

What comes later never comes to a page without scripts.
"""

SCHEDULES: Mapping[str, tuple[Comes, ...]] = {
    "none": (),
    "early": ("at_once",),
    "late": ("later",),
    "often": ("at_once", "later"),
}


@dataclass(frozen=True, kw_only=True)
class PopUp:
    """``name`` is its own in addresses and storage; each of the ``buttons`` closes it."""

    name: str
    label: str
    text: str
    buttons: tuple[str, ...]
    comes: Comes = "at_once"

    @property
    def is_open(self) -> bool:
        """Whether it lies on the page from the start."""
        return self.comes == "at_once"


POP_UPS = (
    PopUp(
        name="cookies",
        label="Cookies",
        text="We use cookies to remember how you like this site. You decide which of them we may set.",
        buttons=("Allow all cookies", "Only what is needed"),
    ),
    PopUp(
        name="newsletter",
        label="Our newsletter",
        text="One letter a month with the best of what we publish. You can leave whenever you want.",
        buttons=("Sign me up", "Not now"),
    ),
    PopUp(
        name="survey",
        label="How are we doing?",
        text="Would you take two minutes to tell us what you think of this site?",
        buttons=("Start the survey", "No, thank you"),
    ),
    PopUp(
        name="app",
        label="There is an app",
        text="Take this site with you on your phone. It is free and works without a connection.",
        buttons=("Show me the app", "Stay on this site"),
    ),
    PopUp(
        name="terms",
        label="New terms of use",
        text="Our terms change on the first of next month. Nothing changes in how you use this site.",
        buttons=("Understood",),
    ),
)


def pop_ups_of(payload: Mapping[str, Any], look: Look) -> tuple[PopUp, ...]:
    """Those of a question in its look, in the order in which they come."""
    schedule = SCHEDULES[look.pop_ups]
    draws = Draws("pop-ups", look.digest(), str(payload.get("text", "")))
    drawn = draws.sample(POP_UPS, len(schedule))
    return tuple(replace(one, comes=comes) for one, comes in zip(drawn, schedule, strict=True))
