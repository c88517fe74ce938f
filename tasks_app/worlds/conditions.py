"""What the state asked for comes to, condition by condition, and what was found: for people to read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["goal", "frame", "allowed"]
"""What was asked for; what had to stay as it was; what may be left in any way."""


@dataclass(frozen=True, kw_only=True)
class Condition:
    """``about``, ``expected`` and ``found`` are as secret as the gold; ``kind`` and ``is_held`` are not."""

    kind: Kind
    about: str
    expected: str
    found: str
    is_held: bool


def compared(kind: Kind, about: str, *, expected: str, found: str) -> Condition:
    """Held when both are written alike."""
    return Condition(kind=kind, about=about, expected=expected, found=found, is_held=expected == found)
