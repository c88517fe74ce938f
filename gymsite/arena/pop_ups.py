"""Pop-ups: they cover a question's page until closed, and have nothing to do with the question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from core.draws import Draws
from core.presentation import Look

Comes = Literal["at_once", "later"]
"""With the page, or after an interaction while no other pop-up is open (only with scripts)."""

SCHEDULES: Mapping[str, tuple[Comes, ...]] = {
    "none": (),
    "early": ("at_once",),
    "late": ("later",),
    "often": ("at_once", "later"),
}


@dataclass(frozen=True, kw_only=True)
class PopUp:
    """``name`` is its id in addresses and storage; each of the ``buttons`` closes it."""

    name: str
    label: str
    text: str
    buttons: tuple[str, ...]
    comes: Comes = "at_once"

    @property
    def is_open(self) -> bool:
        """Whether it is on the page from the start."""
        return self.comes == "at_once"


POP_UPS = (
    PopUp(
        name="cookies",
        label="Cookies",
        text="We use cookies to remember your preferences. You can choose which ones we set.",
        buttons=("Allow all cookies", "Only necessary cookies"),
    ),
    PopUp(
        name="newsletter",
        label="Our newsletter",
        text="Our best articles by email, once a month. Unsubscribe at any time.",
        buttons=("Sign me up", "Not now"),
    ),
    PopUp(
        name="survey",
        label="How are we doing?",
        text="Do you have two minutes to tell us what you think of this site?",
        buttons=("Start the survey", "No, thank you"),
    ),
    PopUp(
        name="app",
        label="Get the app",
        text="Take this site with you on your phone. The app is free and works offline.",
        buttons=("Open the app", "Continue in the browser"),
    ),
    PopUp(
        name="terms",
        label="New terms of use",
        text="Our terms change on the first of next month. You can use this site as before.",
        buttons=("Understood",),
    ),
)


def pop_ups_of(payload: Mapping[str, Any], look: Look) -> tuple[PopUp, ...]:
    """The pop-ups of a question in a look, in order of appearance."""
    schedule = SCHEDULES[look.pop_ups]
    draws = Draws("pop-ups", look.digest(), str(payload.get("text", "")))
    drawn = draws.sample(POP_UPS, len(schedule))
    return tuple(replace(one, comes=comes) for one, comes in zip(drawn, schedule, strict=True))
