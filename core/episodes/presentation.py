"""The look of a page, which is a pure function of a seed and of axes that the caller fixes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, get_args

from core.draws import Draws
from core.errors import GymError
from palaestra.protocol import looks
from palaestra.protocol.looks import LOOK_VERSION, NEUTRAL, PageKind, Value
from palaestra.protocol.suggestions import did_you_mean

Axes = Mapping[str, tuple[Value, ...]]

# Keys that ``presentation`` may have besides the axes of a look. Error messages list them too.
AXES_BESIDE_LOOKS = frozenset({"choices", "instruction", "task_bar", "text"})

ROTATION = 12
"""Number of looks after which every value of every axis has occurred equally often."""

AXES: Axes = {name: axis.values for name, axis in looks.AXES.items()}
AXES_DRAWN: Mapping[PageKind, Axes] = {
    page: {name: AXES[name] for name in looks.axes_of(page)} for page in get_args(PageKind)
}


def _neutral(axis: str) -> Any:
    return NEUTRAL[axis]


@dataclass(frozen=True, kw_only=True)
class Look:
    """The look of an episode's pages, with an attribute for each of ``palaestra.protocol.looks.AXES``.

    Axes that are not drawn for a kind of page stay neutral on it.
    """

    theme: str = _neutral("theme")
    contrast: str = _neutral("contrast")
    accent: str = _neutral("accent")
    font: str = _neutral("font")
    zoom: int = _neutral("zoom")
    density: str = _neutral("density")
    layout: str = _neutral("layout")
    form: str = _neutral("form")
    panels: str = _neutral("panels")
    pop_ups: str = _neutral("pop_ups")
    slow: str = _neutral("slow")
    wording: str = _neutral("wording")
    labels: str = _neutral("labels")
    listing: str = _neutral("listing")
    sections: str = _neutral("sections")
    paging: str = _neutral("paging")
    time_zone: str = _neutral("time_zone")
    locale: str = _neutral("locale")
    editor: str = _neutral("editor")

    def as_dict(self, page: PageKind = "question") -> dict[str, Value]:
        """Return the form stored with an episode: axes drawn for ``page``, and all others not neutral."""
        axes = AXES_DRAWN[page]
        return {axis: value for axis, value in vars(self).items() if axis in axes or value != NEUTRAL[axis]}

    def digest(self) -> str:
        """Return 16 hex digits, equal for equal looks on every machine and Python version."""
        return _digest(self)


@lru_cache(maxsize=1024)
def _digest(look: Look) -> str:
    return looks.look_hash(vars(look))


def look_make(*, seed: int, fixed: Mapping[str, object], page: PageKind = "question") -> Look:
    """Draw the look of a seed. Axes in ``fixed`` take their values from there and do not affect the others.

    Raises ``GymError`` ``unknown_look_axis`` or ``unknown_look_value`` (422).
    """
    chosen = _checked(fixed)
    return _look({axis: _draw(axis=axis, seed=seed) for axis in AXES_DRAWN[page]} | chosen)


def look_rotate(*, seed: int, place: int, fixed: Mapping[str, object], page: PageKind = "question") -> Look:
    """Draw the look at index ``place`` (from 0) of a seed's rotation.

    Each block of ``ROTATION`` looks contains every value of every axis equally often.

    Raises as ``look_make`` does.
    """
    chosen = _checked(fixed)
    turn, rest = divmod(place, ROTATION)
    return _look({axis: _turn(axis, seed, turn)[rest] for axis in AXES_DRAWN[page]} | chosen)


def look_read(stored: Mapping[str, object]) -> Look:
    """Parse a stored look. Axes that did not exist when it was stored are neutral.

    Raises as ``look_make`` does.
    """
    return _look(_checked(stored))


def _look(chosen: Mapping[str, Value]) -> Look:
    values: dict[str, Any] = dict(chosen)
    return Look(**values)


def _draw(*, axis: str, seed: int) -> Value:
    """Draw an axis's value from its own hash, so that fixing or adding an axis does not affect others."""
    raw = hashlib.sha256(f"{LOOK_VERSION}:{axis}:{seed}".encode()).digest()
    values = AXES[axis]
    return values[int.from_bytes(raw[:8], "big") % len(values)]


@lru_cache(maxsize=1024)
def _turn(axis: str, seed: int, turn: int) -> tuple[Value, ...]:
    """Return an axis's values for one turn of a rotation: each equally often, in random order."""
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
        # In Python a bool equals 0 or 1, but it is never a value of an axis.
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
