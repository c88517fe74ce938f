"""A policy's text in a step, split into substeps, and the message that a continuation begins with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trajectories.behaviour.thoughts.substeps import substep_spans
from trajectories.models import Episode, Intervention, Step
from trajectories.record.prompts import sent
from trajectories.rollouts.episodes.conversations import grammar_of

STRUCTURED = "structured"
NOT_STORED = "What its model wrote is not stored."
ENFORCED = "Its endpoint enforced one JSON object, which contains no text to continue."
APART = (
    "Its endpoint returned the thought separately from the message, and no endpoint continues such a thought."
)


def content_of(raw: str, episode: Episode) -> str:
    """Return the text of the message that a recorded completion added to the conversation."""
    return str(sent.completion(raw, grammar_of(episode))["content"])


def problem_of(raw: str, thought: str, episode: Episode) -> str:
    """Return the reason why no model can continue within this completion, as a sentence; empty if one can."""
    content = content_of(raw, episode)
    if not content.strip():
        return NOT_STORED if not raw else APART
    if grammar_of(episode).id == STRUCTURED:
        return ENFORCED
    thought = thought.strip()
    first = thought[slice(*substep_spans(thought)[0])].strip() if thought else ""
    return "" if first in content else APART


def substeps_of(content: str) -> list[dict[str, Any]]:
    """Return the numbered substeps of a message: ``{"number", "begin", "end", "text"}``."""
    return [
        {"number": number, "begin": begin, "end": end, "text": content[begin:end]}
        for number, (begin, end) in enumerate(substep_spans(content), start=1)
    ]


def prefill_message(intervention: Intervention) -> dict[str, Any]:
    """Return the assistant message with which continuations begin, and the author of each part."""
    copied, whole = len(intervention.copied), len(intervention.prefill)
    spans = [
        {"kind": "copied", "begin": 0, "end": copied},
        {"kind": "intervention", "begin": copied, "end": whole},
    ]
    return {"role": "assistant", "content": intervention.prefill, "prefill": True, "spans": spans}


def begins_with(intervention: Intervention, continuations: Sequence[Episode]) -> list[Episode]:
    """Return the continuations whose recorded message begins with the intervention's prefill.

    Each of them needs its run loaded.
    """
    steps = Step.objects.filter(episode__in=continuations, index=intervention.step)
    raws: dict[int, str] = dict(steps.values_list("episode", "raw"))
    return [
        continuation
        for continuation in continuations
        if content_of(raws.get(continuation.pk, ""), continuation).startswith(intervention.prefill)
    ]
