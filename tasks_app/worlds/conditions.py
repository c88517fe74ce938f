"""The conditions of a wanted state and how far an episode met them, for people to read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["goal", "frame", "allowed"]
"""What the task demanded; what had to stay unchanged; what may be left in any state."""


@dataclass(frozen=True, kw_only=True)
class Condition:
    """``about``, ``expected`` and ``found`` are as secret as the gold; ``kind`` and ``is_held`` are not."""

    kind: Kind
    about: str
    expected: str
    found: str
    is_held: bool


def compared(kind: Kind, about: str, *, expected: str, found: str) -> Condition:
    """A condition that is held when both texts are equal."""
    return Condition(kind=kind, about=about, expected=expected, found=found, is_held=expected == found)
