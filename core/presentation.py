"""The seeded look of a page: a pure function of a seed, with axes that a caller may fix."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from core.draws import Draws
from core.errors import GymError, did_you_mean

LOOK_VERSION = "look-v2"

Value = str | int
Axes = Mapping[str, tuple[Value, ...]]
PageKind = Literal["question", "site"]
"""A page of one question, or those of a mock site."""

# Axis to its values; the first value of each is the neutral look. A value is never renamed or reordered:
# the draw is by position, so a change here is a new LOOK_VERSION.
SHARED_LOOKS: Axes = {
    "theme": ("light", "dark"),
    "contrast": ("normal", "high"),
    "accent": ("blue", "green", "plum", "clay"),
    "font": ("sans", "serif", "mono"),
    "zoom": (100, 90, 125),
    "density": ("normal", "compact", "roomy"),
    "layout": ("card", "plain", "wide"),
    # Where the form stands that answers a question, or narrows what a site lists.
    "form": ("below", "above", "beside", "dialog"),
    # Boxes that are of no use for the task.
    "panels": ("none", "one", "two"),
    # What lies over the page until it is closed, and when it comes.
    "pop_ups": ("none", "early", "late", "often"),
    # How long what is not the task's own takes to come; the page says that it is not settled.
    "slow": ("never", "short", "long"),
}
QUESTION_LOOKS: Axes = {"wording": ("question", "problem", "exercise", "prompt")}
SITE_LOOKS: Axes = {
    "labels": ("plain", "brisk", "formal", "friendly"),
    "listing": ("cards", "table", "rows"),
    "sections": ("usual", "reversed", "mixed"),
    "paging": ("pages", "more", "scroll"),
    "time_zone": ("UTC", "Europe/Berlin", "America/New_York", "Pacific/Auckland"),
    "locale": ("en-GB", "en-US"),
}
LOOKS_OF: Mapping[PageKind, Axes] = {
    "question": {**SHARED_LOOKS, **QUESTION_LOOKS},
    "site": {**SHARED_LOOKS, **SITE_LOOKS},
}
# Never drawn, only asked for: they change how a page is used and not only how it looks. A neutral one is left
# out of the stored form.
ASKED_LOOKS: Axes = {"editor": ("plain", "codemirror")}
AXES: Axes = {**SHARED_LOOKS, **QUESTION_LOOKS, **SITE_LOOKS, **ASKED_LOOKS}
NEUTRAL: Mapping[str, Value] = {axis: values[0] for axis, values in AXES.items()}
# What a call may name in ``presentation`` beside the axes of a look; messages list them too.
AXES_BESIDE_LOOKS = frozenset({"choices", "instruction", "task_bar", "text"})

ROTATION = 12
"""Looks after which each value of each axis came equally often: the size of every axis divides it."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """How the pages of an episode look; ``zoom`` is in percent. The axes of other pages stay neutral."""

    theme: str = "light"
    contrast: str = "normal"
    accent: str = "blue"
    font: str = "sans"
    zoom: int = 100
    density: str = "normal"
    layout: str = "card"
    form: str = "below"
    panels: str = "none"
    pop_ups: str = "none"
    slow: str = "never"
    wording: str = "question"
    labels: str = "plain"
    listing: str = "cards"
    sections: str = "usual"
    paging: str = "pages"
    time_zone: str = "UTC"
    locale: str = "en-GB"
    editor: str = "plain"

    def as_dict(self, page: PageKind = "question") -> dict[str, Value]:
        """The form that an episode's row stores: the axes of its pages, and others that are not neutral."""
        axes = LOOKS_OF[page]
        return {axis: value for axis, value in vars(self).items() if axis in axes or value != NEUTRAL[axis]}

    def digest(self) -> str:
        """16 hex digits, equal for equal looks on every machine and Python version."""
        chosen = {axis: value for axis, value in vars(self).items() if value != NEUTRAL[axis]}
        text = json.dumps([LOOK_VERSION, chosen], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def look_make(*, seed: int, fixed: Mapping[str, object], page: PageKind = "question") -> Look:
    """The look of a seed. An axis in ``fixed`` keeps that value and does not move the others.

    Raises ``GymError`` ``unknown_look_axis`` or ``unknown_look_value`` (422).
    """
    chosen = _checked(fixed)
    drawn = {axis: _draw(axis=axis, seed=seed) for axis in LOOKS_OF[page] if axis not in chosen}
    return _look(drawn | chosen)


def look_rotate(*, seed: int, place: int, fixed: Mapping[str, object], page: PageKind = "question") -> Look:
    """The look at a place, from 0, of a seed's rotation: any ``ROTATION`` from a multiple of it are balanced.

    Raises as ``look_make`` does.
    """
    chosen = _checked(fixed)
    turn, rest = divmod(place, ROTATION)
    drawn = {axis: _turn(axis, seed, turn)[rest] for axis in LOOKS_OF[page] if axis not in chosen}
    return _look(drawn | chosen)


def look_read(stored: Mapping[str, object]) -> Look:
    """A stored look; an axis that did not exist when it was stored is neutral.

    Raises as ``look_make`` does.
    """
    return _look(_checked(stored))


def _look(chosen: Mapping[str, Value]) -> Look:
    """An axis that is not chosen is neutral."""
    values: dict[str, Any] = {**NEUTRAL, **chosen}
    return Look(**values)


def _draw(*, axis: str, seed: int) -> Value:
    """Each axis draws from its own hash, so that fixing or adding one leaves the others alone."""
    raw = hashlib.sha256(f"{LOOK_VERSION}:{axis}:{seed}".encode()).digest()
    values = AXES[axis]
    return values[int.from_bytes(raw[:8], "big") % len(values)]


@lru_cache(maxsize=1024)
def _turn(axis: str, seed: int, turn: int) -> tuple[Value, ...]:
    """The values of an axis in one turn of a rotation, each equally often."""
    values = AXES[axis]
    draws = Draws(str(seed).encode(), LOOK_VERSION, "rotation", axis, turn)
    return tuple(draws.shuffled(values * (ROTATION // len(values))))


def _checked(fixed: Mapping[str, object]) -> dict[str, Value]:
    return {axis: _value(axis=axis, wanted=wanted) for axis, wanted in fixed.items()}


def _value(*, axis: str, wanted: object) -> Value:
    if axis not in AXES:
        known = ", ".join(sorted({*AXES, *AXES_BESIDE_LOOKS}))
        message = f"A presentation has no axis {axis!r}. Its axes are {known}."
        raise GymError("unknown_look_axis", message, status=422, fields={"presentation": [message]})
    for value in AXES[axis]:
        # A bool equals 0 or 1 in Python; it is never a value of an axis.
        if value == wanted and not isinstance(wanted, bool):
            return value
    message = f"{wanted!r} is not a value of the look axis {axis!r}. {_hint(wanted, values=AXES[axis])}"
    raise GymError("unknown_look_value", message, status=422, fields={"presentation": [message]})


def _hint(wanted: object, *, values: tuple[Value, ...]) -> str:
    if isinstance(wanted, str) and isinstance(values[0], int):
        if wanted.strip() in map(str, values):
            return f'A number is meant: {wanted.strip()}, not "{wanted}".'
        return f"A number is meant: {', '.join(map(str, sorted(values)))}."
    return did_you_mean(str(wanted), map(str, values))
