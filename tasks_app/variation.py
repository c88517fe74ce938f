"""The variation of an episode: what it shows differently from its task's payload, as a JSON object or None.

- ``order``: permutation of the choices.
- ``asserts``: all asserts of a program, if the task holds some back.
- ``tools``: tools that can be called, including the question's own.
- ``text``: how the prompt describes a mock site (``worlds/text_view.py``).
- ``task_bar``: false if a mock site's pages neither state the task nor accept its answer.
- ``picture``: picture that replaces the whole question.
- ``transcript``: text of the page's question, for an agent that copies it.

All of it is public to the agent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tasks_app import choices

Variation = Mapping[str, Any]


def payload_shown(payload: Mapping[str, Any], variation: Variation | None) -> Mapping[str, Any]:
    """Return the payload as the episode shows it. An order that no longer fits is ignored."""
    if not variation:
        return payload
    shown = dict(payload)
    if "picture" in variation:
        shown = _pictured(payload, variation["picture"])
    if "order" in variation and "choices" in payload:
        shown["choices"] = choices.choices_move(payload["choices"], variation["order"])
    if "asserts" in variation:
        shown["asserts"] = variation["asserts"]
    return shown


def _pictured(payload: Mapping[str, Any], picture: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the question with one picture; only the labels of its choices remain."""
    labels = [{"label": choice["label"], "text": ""} for choice in payload.get("choices", ())]
    rest = {name: value for name, value in payload.items() if name == "answer_lines"}
    reduced = {**rest, "text": "", "format": "plain", "pictures": [picture]}
    return {**reduced, "choices": labels} if labels else reduced


def get_picture(variation: Variation | None) -> Mapping[str, Any] | None:
    """Return the picture that replaces the whole question, or None."""
    return (variation or {}).get("picture")


def get_tools(variation: Variation | None) -> frozenset[str]:
    return frozenset((variation or {}).get("tools", ()))


def has_task_bar(variation: Variation | None) -> bool:
    return bool((variation or {}).get("task_bar", True))
