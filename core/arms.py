"""Arms: the ways in which one task is presented. The client has the same table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from core.errors import GymError, did_you_mean
from core.tables import table_load


@dataclass(frozen=True)
class Arm:
    """``has_text``: the question's text is in the prompt. ``is_free_text``: the model answers in a completion
    that ends with the answer, and may repair it once; in the other arms it writes actions. ``is_pictured``: a
    picture stands for the whole question. ``is_probe``: the model copies the question instead of answering
    it, which says how well it reads; it counts in no accuracy but the arm's own.
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
    is_probe: bool = False

    @property
    def has_form(self) -> bool:
        """Whether its pages have a form for the answer; a call may do without."""
        return self.has_page and not self.is_probe

    @property
    def calls_tools(self) -> bool:
        """True where an action calls a task's tools: no page shows them, and there are turns."""
        return not self.has_page and not self.is_free_text

    @property
    def has_tools(self) -> bool:
        """Whether a task's tools can be called at all; a probe copies a page without them."""
        return self.has_form or self.calls_tools


ARMS: Mapping[str, Arm] = {arm.id: arm for arm in table_load(Path(__file__).with_name("arms.toml"), Arm)}
PAGE_ARMS = tuple(arm.id for arm in ARMS.values() if arm.has_page)
PROBE_ARMS = tuple(arm.id for arm in ARMS.values() if arm.is_probe)


def arm_open(arm_id: str) -> Arm:
    """The arm if episodes can be opened in it. Raises ``GymError`` 422 ``unknown_arm``."""
    arm = ARMS.get(arm_id)
    if arm is None:
        raise GymError("unknown_arm", f"There is no arm {arm_id!r}. {did_you_mean(arm_id, ARMS)}", status=422)
    return arm


def arm_choices() -> list[tuple[str, str]]:
    """Ids and labels, for models and forms."""
    return [(arm.id, arm.label) for arm in ARMS.values()]
