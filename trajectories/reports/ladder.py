"""The ladder of arms: each rung changes one thing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from core.arms import ARMS

# Each arm of the ladder, with what it adds to the one before it.
RUNGS = {
    "text_zero_shot": "base",
    "text_agent": "agent format",
    "gym_with_text": "interaction",
    "gym": "finding and reading",
    "gym_image": "pixels without text",
}
# A probe has a distance and no accuracy.
UNSCORED = frozenset({"probe_read"})


class ArmKey(NamedTuple):
    """An arm, or its retest: the same arm with other seeds."""

    arm: str
    retest: bool = False

    @property
    def id(self) -> str:
        return f"{self.arm}+retest" if self.retest else self.arm

    @property
    def label(self) -> str:
        name = ARMS[self.arm].label
        return f"{name} (again)" if self.retest else name


def ladder_of(arms: Sequence[str]) -> list[ArmKey]:
    """The ladder's arms among ``arms``, from the base down."""
    return [ArmKey(arm) for arm in RUNGS if arm in arms]


def contrasts_of(arms: Sequence[str], contrasts: Sequence[Sequence[str]]) -> list[tuple[ArmKey, ArmKey]]:
    """The plan's contrasts; without any, the ladder's base against each other rung."""
    if contrasts:
        return [(ArmKey(a), ArmKey(b)) for a, b in contrasts]
    ladder = ladder_of(arms)
    return [(ladder[0], other) for other in ladder[1:]]
