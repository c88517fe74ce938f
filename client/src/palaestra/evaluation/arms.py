"""The arms of a plan: each an arm of the gym, with the plan's observation or one of its own."""

from __future__ import annotations

from typing import NamedTuple

from palaestra.errors import PalaestraError
from palaestra.observation import observation_id, perceivable_check
from palaestra.protocol.arms import ARMS, arm_of
from palaestra.protocol.observations import OBSERVATION_FORMATS

LADDER = ("text_zero_shot", "text_agent", "gym_with_text", "gym")


class PlannedArm(NamedTuple):
    """An arm of a plan; ``observation`` is empty if it is the plan's."""

    arm: str
    observation: str = ""

    def __str__(self) -> str:
        """Return its name in plans and reports: ``gym``, ``gym:som-v1``."""
        return f"{self.arm}:{self.observation}" if self.observation else self.arm


def planned_arm_read(text: str) -> PlannedArm:
    """Parse an arm such as ``gym`` or ``gym:som``. Raises ``PalaestraError`` if it is invalid."""
    arm, _, name = text.partition(":")
    if arm not in ARMS:
        raise PalaestraError(f"There is no arm {arm!r}. Arms: {', '.join(ARMS)}.")
    if not name:
        return PlannedArm(arm)
    if not arm_of(arm).has_page:
        raise PalaestraError(f"The arm {arm} has no page, and so no observation: write {arm}.")
    observation = observation_id(name)
    if observation not in OBSERVATION_FORMATS:
        raise PalaestraError(
            f"{text}: there is no observation {name!r}. Known: {', '.join(OBSERVATION_FORMATS)}."
        )
    return PlannedArm(arm, observation)


def arms_check(arms: list[str], *, observation: str) -> None:
    """Raise ``PalaestraError`` for arms that cannot be played in the plan's observation or their own."""
    if not arms:
        raise PalaestraError("A plan needs at least one arm.")
    if len(set(arms)) < len(arms):
        raise PalaestraError("The plan names an arm twice.")
    for planned in map(planned_arm_read, arms):
        if planned.observation == observation:
            raise PalaestraError(f"{planned} names the plan's own observation: write {planned.arm}.")
        try:
            perceivable_check(planned.arm, planned.observation or observation)
        except PalaestraError as blind:
            raise PalaestraError(f"{blind} Name one for this arm, as {planned.arm}:som.") from blind
