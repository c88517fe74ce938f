"""Arms: the ways in which one task is presented."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass


@dataclass(frozen=True)
class Arm:
    """One way of presenting a task.

    ``has_text``: the question's text is in the prompt. ``is_free_text``: the model writes a completion that
    ends with the answer, and may repair it once; in the other arms it writes actions. ``is_pictured``: the
    whole question is shown as a picture. ``is_probe``: the model copies the question instead of answering it,
    which shows how well it reads; such episodes count only in this arm's own accuracy.
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
        """True if the arm's pages have a form for the answer."""
        return self.has_page and not self.is_probe

    @property
    def calls_tools(self) -> bool:
        """True if a task's tools are called with an action: there are turns, but no page shows the tools."""
        return not self.has_page and not self.is_free_text

    @property
    def has_tools(self) -> bool:
        """True if a task's tools can be called at all. A probe's page has no tools."""
        return self.has_form or self.calls_tools


_ARMS = (
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
        is_pictured=True,
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
        is_pictured=True,
    ),
    Arm(
        "probe_read",
        "Reading probe",
        "The model types out the question on the page exactly as shown; a probe of reading, not a score.",
        has_page=True,
        is_probe=True,
    ),
)
ARMS: Mapping[str, Arm] = {arm.id: arm for arm in _ARMS}
PAGE_ARMS = tuple(arm.id for arm in _ARMS if arm.has_page)
PROBE_ARMS = tuple(arm.id for arm in _ARMS if arm.is_probe)


def arm_of(arm_id: str) -> Arm:
    """Return the arm with this id. An unknown arm, of a newer server, is treated as an arm with a page."""
    return ARMS.get(arm_id) or Arm(arm_id, arm_id, "", has_page=True)
