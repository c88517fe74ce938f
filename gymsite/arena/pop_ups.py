"""Pop-ups that cover a question's page until they are closed. They have nothing to do with the question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from core.draws import Draws
from core.episodes.presentation import Look
from core.text.toml import toml_load

Comes = Literal["at_once", "later"]
"""Time at which a pop-up appears: with the page, or (by script) after an interaction, if none is open."""

SCHEDULES: Mapping[str, tuple[Comes, ...]] = {
    "none": (),
    "early": ("at_once",),
    "late": ("later",),
    "often": ("at_once", "later"),
}


@dataclass(frozen=True, kw_only=True)
class PopUp:
    """A pop-up. ``name`` is its id in addresses and storage; each of its ``buttons`` closes it."""

    name: str
    label: str
    text: str
    buttons: tuple[str, ...]
    comes: Comes = "at_once"

    @property
    def is_open(self) -> bool:
        """True if the pop-up is on the page from the start."""
        return self.comes == "at_once"


POP_UPS = toml_load(Path(__file__).with_suffix(".toml"), dict[str, tuple[PopUp, ...]])["pop_ups"]


def choose_pop_ups(payload: Mapping[str, Any], look: Look) -> tuple[PopUp, ...]:
    """Choose a question's pop-ups by its look, in order of appearance."""
    schedule = SCHEDULES[look.pop_ups]
    draws = Draws("pop-ups", look.digest(), str(payload.get("text", "")))
    drawn = draws.sample(POP_UPS, len(schedule))
    return tuple(replace(pop_up, comes=comes) for pop_up, comes in zip(drawn, schedule, strict=True))
