"""Arms: the ways in which one task is presented. The client has the same table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from core.errors import GymError, did_you_mean
from core.tables import table_load


@dataclass(frozen=True)
class Arm:
    """``has_text``: the question's text is in the prompt. ``is_free_text``: the model answers in one
    completion that ends with the answer; in the other arms it writes actions. ``is_pictured``: a picture
    stands for the whole question.
    """

    id: str
    label: str
    description: str
    _: KW_ONLY
    has_page: bool = False
    has_text: bool = False
    is_free_text: bool = False
    has_examples: bool = False
    is_pictured: bool = False
    is_built: bool = True


ARMS: Mapping[str, Arm] = {arm.id: arm for arm in table_load(Path(__file__).with_name("arms.toml"), Arm)}
PAGE_ARMS = tuple(arm.id for arm in ARMS.values() if arm.has_page)


def arm_open(arm_id: str) -> Arm:
    """The arm if episodes can be opened in it. Raises ``GymError`` 422 ``unknown_arm``, ``arm_not_built``."""
    arm = ARMS.get(arm_id)
    if arm is None:
        raise GymError("unknown_arm", f"There is no arm {arm_id!r}. {did_you_mean(arm_id, ARMS)}", status=422)
    if not arm.is_built:
        built = ", ".join(sorted(one.id for one in ARMS.values() if one.is_built))
        raise GymError("arm_not_built", f"The arm {arm_id!r} is not built yet. Built: {built}.", status=422)
    return arm


def arm_choices() -> list[tuple[str, str]]:
    """Ids and labels, for models and forms."""
    return [(arm.id, arm.label) for arm in ARMS.values()]
