"""Arms, the ways in which a task is presented, as far as a harness needs to know them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Arm:
    """``has_text``: the question's text is in the prompt. ``is_pictured``: a picture stands for the question.
    ``is_free_text``: the model answers in a completion that ends with the answer, and may repair it once; in
    the other arms it writes actions. ``is_probe``: the model copies the question of a page instead of
    answering it.
    """

    id: str
    description: str = ""
    has_page: bool = False
    has_text: bool = False
    is_free_text: bool = False
    is_pictured: bool = False
    is_probe: bool = False

    @property
    def calls_tools(self) -> bool:
        """True where an action calls a task's tools: no page shows them, and there are turns."""
        return not self.has_page and not self.is_free_text


ARMS: Mapping[str, Arm] = {
    arm.id: arm
    for arm in (
        Arm(
            id="text_zero_shot",
            description="The question is in the prompt; the model answers in free text.",
            has_text=True,
            is_free_text=True,
        ),
        Arm(
            id="text_few_shot",
            description="As text, zero-shot, after a few solved examples.",
            has_text=True,
            is_free_text=True,
        ),
        Arm(
            id="text_agent",
            description="The question is in the prompt; the model answers by an action, without a page.",
            has_text=True,
        ),
        Arm(
            id="prompt_image",
            description="The prompt holds a picture of the question; the model answers in free text.",
            is_free_text=True,
            is_pictured=True,
        ),
        Arm(
            id="gym",
            description="The question is on a web page that the model reads and acts on.",
            has_page=True,
        ),
        Arm(
            id="gym_with_text",
            description="The question is on a web page and in the prompt too.",
            has_page=True,
            has_text=True,
        ),
        Arm(
            id="gym_image",
            description="The question is a picture on a web page.",
            has_page=True,
            is_pictured=True,
        ),
        Arm(
            id="probe_read",
            description="The model types out the question on the page exactly as shown; "
            "a probe of reading, not a score.",
            has_page=True,
            is_probe=True,
        ),
    )
}


def arm_of(arm_id: str) -> Arm:
    """The arm; one that only a newer server knows is taken for an arm with a page."""
    return ARMS.get(arm_id) or Arm(id=arm_id, has_page=True)
