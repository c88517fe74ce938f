"""Arms: the ways in which one task is presented. To add one, add a record here and in the client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass

from core.errors import GymError, did_you_mean


@dataclass(frozen=True)
class Arm:
    """``has_text``: the question's text is in the prompt. ``is_free_text``: the model answers in one
    completion that ends with the answer; in the other arms it writes actions.
    """

    id: str
    label: str
    description: str
    _: KW_ONLY
    has_page: bool = False
    has_text: bool = False
    is_free_text: bool = False
    has_examples: bool = False
    is_built: bool = True


ARMS: Mapping[str, Arm] = {
    arm.id: arm
    for arm in (
        Arm(
            "text_zero_shot",
            "Text, zero-shot",
            "The question is in the prompt; the model answers in free text.",
            has_text=True,
            is_free_text=True,
        ),
        Arm(
            "text_few_shot",
            "Text, few-shot",
            "As text, zero-shot, after a few solved examples.",
            has_text=True,
            is_free_text=True,
            has_examples=True,
        ),
        Arm(
            "text_agent",
            "Text, agent format",
            "The question is in the prompt; the model answers by an action, without a page.",
            has_text=True,
        ),
        Arm(
            "prompt_image",
            "Picture in the prompt",
            "The prompt holds a picture of the question; the model answers in free text.",
            is_free_text=True,
            is_built=False,
        ),
        Arm("gym", "Page", "The question is on a web page that the model reads and acts on.", has_page=True),
        Arm(
            "gym_with_text",
            "Page and text",
            "The question is on a web page and in the prompt too.",
            has_page=True,
            has_text=True,
        ),
        Arm(
            "gym_image",
            "Page with a picture",
            "The question is a picture on a web page.",
            has_page=True,
            is_built=False,
        ),
        Arm(
            "probe_read",
            "Reading probe",
            "The model types the question on the page exactly as shown; a probe, not a score.",
            has_page=True,
            is_built=False,
        ),
    )
}
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
