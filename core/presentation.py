"""The seeded look of a page: a pure function of a seed, with axes that a caller may fix."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, Literal, get_args

from core.draws import Draws
from core.errors import GymError
from palaestra.protocol.suggestions import did_you_mean

LOOK_VERSION = "look-v2"

Value = str | int
Axes = Mapping[str, tuple[Value, ...]]
PageKind = Literal["question", "site"]
"""The page of one question, or the pages of a mock site."""

# What a call may name in ``presentation`` beside the axes of a look; messages list them too.
AXES_BESIDE_LOOKS = frozenset({"choices", "instruction", "task_bar", "text"})

ROTATION = 12
"""Looks after which every value of every axis has occurred equally often: each axis's size divides it."""


def _axis(*values: Value, pages: tuple[PageKind, ...] = ("question", "site")) -> Any:
    """An axis: its values, the neutral one first, and the kinds of page for which it is drawn."""
    return field(default=values[0], metadata={"values": values, "pages": pages})


@dataclass(frozen=True, kw_only=True)
class Look:
    """How the pages of an episode look. A new axis is one more line here, and one in docs/looks.md.

    Values are never renamed or reordered: they are drawn by position, so that a change is a new
    ``LOOK_VERSION``. Axes that are not drawn for a kind of page stay neutral there.
    """

    theme: str = _axis("light", "dark")
    contrast: str = _axis("normal", "high")
    accent: str = _axis("blue", "green", "plum", "clay")
    font: str = _axis("sans", "serif", "mono")
    zoom: int = _axis(100, 90, 125)  # percent
    density: str = _axis("normal", "compact", "roomy")
    layout: str = _axis("card", "plain", "wide")
    # Where the form stands that answers a question, or narrows what a site lists.
    form: str = _axis("below", "above", "beside", "dialog")
    # Boxes that have nothing to do with the task.
    panels: str = _axis("none", "one", "two")
    # What covers the page until it is closed, and when it appears.
    pop_ups: str = _axis("none", "early", "late", "often")
    # How long the parts that do not belong to the task take to load; the page is not settled until then.
    slow: str = _axis("never", "short", "long")
    wording: str = _axis("question", "problem", "exercise", "prompt", pages=("question",))
    labels: str = _axis("plain", "brisk", "formal", "friendly", pages=("site",))
    listing: str = _axis("cards", "table", "rows", pages=("site",))
    sections: str = _axis("usual", "reversed", "mixed", pages=("site",))
    paging: str = _axis("pages", "more", "scroll", pages=("site",))
    time_zone: str = _axis("UTC", "Europe/Berlin", "America/New_York", "Pacific/Auckland", pages=("site",))
    locale: str = _axis("en-GB", "en-US", pages=("site",))
    # Never drawn: it changes how a page is used, not only how it looks. A neutral one is not stored.
    editor: str = _axis("plain", "codemirror", pages=())

    def as_dict(self, page: PageKind = "question") -> dict[str, Value]:
        """The form stored in an episode's row: the axes drawn for its pages, and any other not neutral."""
        axes = AXES_DRAWN[page]
        return {axis: value for axis, value in vars(self).items() if axis in axes or value != NEUTRAL[axis]}

    def digest(self) -> str:
        """16 hex digits, equal for equal looks on every machine and Python version."""
        return _digest(self)


AXES: Axes = {axis.name: axis.metadata["values"] for axis in fields(Look)}
AXES_DRAWN: Mapping[PageKind, Axes] = {
    page: {axis.name: AXES[axis.name] for axis in fields(Look) if page in axis.metadata["pages"]}
    for page in get_args(PageKind)
}
NEUTRAL: Mapping[str, Value] = {axis: values[0] for axis, values in AXES.items()}


@lru_cache(maxsize=1024)
def _digest(look: Look) -> str:
    chosen = {axis: value for axis, value in vars(look).items() if value != NEUTRAL[axis]}
    text = json.dumps([LOOK_VERSION, chosen], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def look_make(*, seed: int, fixed: Mapping[str, object], page: PageKind = "question") -> Look:
    """The look of a seed. An axis in ``fixed`` keeps that value and does not move the others.

    Raises ``GymError`` ``unknown_look_axis`` or ``unknown_look_value`` (422).
    """
    chosen = _checked(fixed)
    return _look({axis: _draw(axis=axis, seed=seed) for axis in AXES_DRAWN[page]} | chosen)


def look_rotate(*, seed: int, place: int, fixed: Mapping[str, object], page: PageKind = "question") -> Look:
    """The look at a place, from 0, of a seed's rotation: each block of ``ROTATION`` looks is balanced.

    Raises as ``look_make`` does.
    """
    chosen = _checked(fixed)
    turn, rest = divmod(place, ROTATION)
    return _look({axis: _turn(axis, seed, turn)[rest] for axis in AXES_DRAWN[page]} | chosen)


def look_read(stored: Mapping[str, object]) -> Look:
    """A stored look; an axis that did not exist when it was stored is neutral.

    Raises as ``look_make`` does.
    """
    return _look(_checked(stored))


def _look(chosen: Mapping[str, Value]) -> Look:
    values: dict[str, Any] = dict(chosen)
    return Look(**values)


def _draw(*, axis: str, seed: int) -> Value:
    """Each axis has its own hash, so that fixing or adding one leaves the others unchanged."""
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
    return {axis: _value(axis=axis, requested=requested) for axis, requested in fixed.items()}


def _value(*, axis: str, requested: object) -> Value:
    if axis not in AXES:
        known = ", ".join(sorted({*AXES, *AXES_BESIDE_LOOKS}))
        message = f"A presentation has no axis {axis!r}. Its axes are {known}."
        raise GymError("unknown_look_axis", message, status=422, fields={"presentation": [message]})
    for value in AXES[axis]:
        # A bool equals 0 or 1 in Python; it is never a value of an axis.
        if value == requested and not isinstance(requested, bool):
            return value
    message = f"{requested!r} is not a value of the look axis {axis!r}. {_hint(requested, values=AXES[axis])}"
    raise GymError("unknown_look_value", message, status=422, fields={"presentation": [message]})


def _hint(requested: object, *, values: tuple[Value, ...]) -> str:
    if isinstance(requested, str) and isinstance(values[0], int):
        if requested.strip() in map(str, values):
            return f'Send the number {requested.strip()}, not the text "{requested}".'
        return f"Send a number: {', '.join(map(str, sorted(values)))}."
    return did_you_mean(str(requested), map(str, values))
