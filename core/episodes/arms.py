"""The arms that calls and forms may name."""

from __future__ import annotations

from core.errors import GymError
from palaestra.protocol.arms import ARMS, Arm
from palaestra.protocol.suggestions import did_you_mean


def arm_open(arm_id: str) -> Arm:
    """Return the arm with this id. Raises ``GymError`` 422 ``unknown_arm`` if there is none."""
    arm = ARMS.get(arm_id)
    if arm is None:
        raise GymError("unknown_arm", f"There is no arm {arm_id!r}. {did_you_mean(arm_id, ARMS)}", status=422)
    return arm


def arm_choices() -> list[tuple[str, str]]:
    """Return the id and label of each arm, as the choices of models and forms."""
    return [(arm.id, arm.label) for arm in ARMS.values()]
