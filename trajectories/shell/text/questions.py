"""A task's question as the lab shows it, in an episode's variation or in its original form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tasks_app import choices
from tasks_app.models import Task
from tasks_app.prose import cut_prose
from tasks_app.questions import questions
from tasks_app.variation import Variation, payload_shown

BLOB = re.compile(r"/blobs/([0-9a-f]{64})\Z")


def problem_context(task: Any, variation: Variation | None = None) -> dict[str, Any]:
    """Return the context of ``lab/shared/_question.html``, from the payload's text or else the prompt."""
    payload = task.payload if isinstance(task.payload, Mapping) else {}
    shown = dict(payload_shown(payload, variation))
    if not isinstance(shown.get("text"), str):
        shown["text"] = task.prompt
    prose = cut_prose(shown)
    sources = map_sources(task, variation)
    return {
        "prose": prose,
        "choices": [(choice, sources.get(choice.label, "")) for choice in prose.choices],
        "is_moved": bool(sources),
        "table": shown.get("table"),
        "signature": shown.get("signature", ""),
        "asserts": "\n".join(shown.get("asserts", ())),
    }


def map_sources(task: Any, variation: Variation | None) -> dict[str, str]:
    """Map each choice's label in the episode to its original label; empty if the order is the same."""
    payload = task.payload if isinstance(task.payload, Mapping) else {}
    labels = [choice["label"] for choice in payload.get("choices", ())]
    order = list((variation or {}).get("order", ()))
    if len(order) != len(labels) or order == sorted(order):
        return {}
    return {labels[place]: labels[source] for place, source in enumerate(order)}


def name_answer(answer: str, sources: Mapping[str, str]) -> str:
    """Return an answer in the episode's labels, followed by the selected choice's original label."""
    return f"{answer} (source {sources[answer]})" if answer in sources else answer


def gold_named(gold: str, sources: Mapping[str, str]) -> str:
    """Return a gold, which uses the original labels, in the form of ``name_answer``."""
    shown = next((label for label, source in sources.items() if source == gold), gold)
    return name_answer(shown, sources)


def problem_shape(task: Any) -> list[tuple[str, str]]:
    """Return the question's parts and the tools that its page can offer, as pairs of a name and a value."""
    payload = task.payload if isinstance(task.payload, Mapping) else {}
    shape: list[tuple[str, str]] = []
    if options := payload.get("choices"):
        order = "free to move" if choices.is_movable(payload) else "in their order"
        shape.append(("Choices", f"{len(options)}, {order}"))
    if pictures := payload.get("pictures"):
        shape.append(("Pictures", str(len(pictures))))
    if table := payload.get("table"):
        shape.append(("Table", f"{len(table['rows'])} rows of {len(table['header'])}"))
    if task.kind in questions and (tools := questions.get(task.kind).tools):
        shape.append(("Tools", f"{', '.join(sorted(tools))} (if a run grants them)"))
    return shape


def content_parts(content: object) -> list[dict[str, str]]:
    """Return a chat message's content as parts, each with a ``text`` or the ``sha256`` of a picture."""
    if not isinstance(content, list):
        return [{"text": str(content)}]
    return [_part(part) for part in content]


def _part(part: Mapping[str, Any]) -> dict[str, str]:
    if part["type"] == "text":
        return {"text": str(part["text"])}
    address = str(part["image_url"]["url"])
    picture = BLOB.search(address)
    return {"sha256": picture[1]} if picture else {"text": address}


def question_text(task: Task) -> str:
    """Return the question's text, or its prompt if it has no text, since a prompt may begin with a table."""
    text = task.payload.get("text") if isinstance(task.payload, dict) else None
    return text if isinstance(text, str) and text else task.prompt
