"""The seeded look of a page: a pure function of a seed, with axes that a caller may fix."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from gymsite.core.errors import GymError, did_you_mean

LOOK_VERSION = "look-v1"

Value = str | int

# Axis to its values; the first value of each is the neutral look. A value is never renamed or reordered:
# the draw is by position, so a change here is a new LOOK_VERSION.
ALL_LOOKS: Mapping[str, tuple[Value, ...]] = {
    "theme": ("light", "dark"),
    "font": ("sans", "serif", "mono"),
    "layout": ("card", "plain", "wide"),
    "zoom": (100, 90, 125),
    "wording": ("question", "problem", "exercise", "prompt"),
}
# Never drawn, only asked for: they change how a page is used and not only how it looks. A neutral one is left
# out of the stored form.
ASKED_LOOKS: Mapping[str, tuple[Value, ...]] = {"editor": ("plain", "codemirror")}
AXES: Mapping[str, tuple[Value, ...]] = {**ALL_LOOKS, **ASKED_LOOKS}
# What a call may name in ``presentation`` beside the axes of a look; messages list them too.
AXES_BESIDE_LOOKS = frozenset({"choices", "instruction"})


@dataclass(frozen=True, kw_only=True)
class Look:
    """How one page looks; ``zoom`` is in percent."""

    theme: str = "light"
    font: str = "sans"
    layout: str = "card"
    zoom: int = 100
    wording: str = "question"
    editor: str = "plain"

    def as_dict(self) -> dict[str, Value]:
        """The form that an episode's row stores."""
        neutral = {axis: values[0] for axis, values in ASKED_LOOKS.items()}
        return {axis: value for axis, value in asdict(self).items() if neutral.get(axis) != value}

    def digest(self) -> str:
        """16 hex digits, equal for equal looks on every machine and Python version."""
        text = json.dumps([LOOK_VERSION, self.as_dict()], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def look_make(*, seed: int, fixed: Mapping[str, object]) -> Look:
    """The look of a seed. An axis in ``fixed`` keeps that value and does not move the others.

    Raises ``GymError`` ``unknown_look_axis`` or ``unknown_look_value`` (422).
    """
    chosen = _checked(fixed)
    drawn = {axis: _draw(axis=axis, seed=seed) for axis in ALL_LOOKS if axis not in chosen}
    return _look(drawn | chosen)


def look_read(stored: Mapping[str, object]) -> Look:
    """A stored look; an axis that did not exist when it was stored is neutral.

    Raises as ``look_make`` does.
    """
    chosen = _checked(stored)
    return _look(chosen)


def _look(chosen: Mapping[str, Value]) -> Look:
    """An axis that is not chosen is neutral."""
    values: dict[str, Any] = {axis: chosen.get(axis, values[0]) for axis, values in AXES.items()}
    return Look(**values)


def _draw(*, axis: str, seed: int) -> Value:
    """Each axis draws from its own hash, so that fixing or adding one leaves the others alone."""
    raw = hashlib.sha256(f"{LOOK_VERSION}:{axis}:{seed}".encode()).digest()
    values = ALL_LOOKS[axis]
    return values[int.from_bytes(raw[:8], "big") % len(values)]


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
