"""Arms: the ways in which one task is presented. To add one, add a record here and in the client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.errors import GymError, did_you_mean


@dataclass(frozen=True, kw_only=True)
class Arm:
    """``has_text``: the question's text is in the prompt. ``is_free_text``: the model answers in one
    completion that ends with the answer; in the other arms it writes actions.
    """

    id: str
    label: str
    description: str
    has_page: bool = False
    has_text: bool = False
    is_free_text: bool = False
    has_examples: bool = False
    is_built: bool = True


ARMS: Mapping[str, Arm] = {
    arm.id: arm
    for arm in (
        Arm(
            id="text_zero_shot",
            label="Text, zero-shot",
            description="The question is in the prompt; the model answers in free text.",
            has_text=True,
            is_free_text=True,
        ),
        Arm(
            id="text_few_shot",
            label="Text, few-shot",
            description="As text, zero-shot, after a few solved examples.",
            has_text=True,
            is_free_text=True,
            has_examples=True,
        ),
        Arm(
            id="text_agent",
            label="Text, agent format",
            description="The question is in the prompt; the model answers by an action, without a page.",
            has_text=True,
        ),
        Arm(
            id="prompt_image",
            label="Picture in the prompt",
            description="The prompt holds a picture of the question; the model answers in free text.",
            is_free_text=True,
            is_built=False,
        ),
        Arm(
            id="gym",
            label="Page",
            description="The question is on a web page that the model reads and acts on.",
            has_page=True,
        ),
        Arm(
            id="gym_with_text",
            label="Page and text",
            description="The question is on a web page and in the prompt too.",
            has_page=True,
            has_text=True,
        ),
        Arm(
            id="gym_image",
            label="Page with a picture",
            description="The question is a picture on a web page.",
            has_page=True,
            is_built=False,
        ),
        Arm(
            id="probe_read",
            label="Reading probe",
            description="The model types the question on the page exactly as shown; a probe, not a score.",
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
