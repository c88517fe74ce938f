"""The conversation sent to a model before a step, rebuilt from the recording.

The client, which sends it, applies the same rules (``palaestra.protocol.conversation``). A step may include
the hash of what was actually sent. Pictures are identified by their hash.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from palaestra.protocol.completions import RecordedCall, assistant_message, call_results, record_read
from palaestra.protocol.conversation import How, Shown, observation_message, pages_send
from palaestra.protocol.grammars import Grammar
from palaestra.protocol.histories import History
from trajectories.record.prompts.conversation import Message

HOW_LABELS: Mapping[How, str] = {
    "folded": "sections shown above left out",
    "changes": "only what changed",
    "unchanged": "page as before",
    "left_out": "older page, left out",
}


@dataclass(frozen=True, kw_only=True)
class Turn:
    """A recorded step. ``shown`` is None for the first step in an arm without a page."""

    index: int
    raw: str
    shown: Shown | None


@dataclass(frozen=True, kw_only=True)
class SentMessage:
    """A message as it was sent. ``step`` is its turn's index, None for messages that open the episode."""

    message: Message
    step: int | None = None
    how: How = ""


def messages_sent(
    *, history: History, grammar: Grammar, opening: Sequence[Message], turns: Sequence[Turn]
) -> list[SentMessage]:
    """Return the messages sent before the last of ``turns``."""
    seen = iter(pages_send([turn.shown for turn in turns if turn.shown], history=history))
    sent = [SentMessage(message=message) for message in opening]
    for place, turn in enumerate(turns):
        calls: list[RecordedCall] = []
        if place:
            before = turns[place - 1]
            message, calls = _completion(before.raw, grammar)
            sent.append(SentMessage(message=message, step=before.index))
        if turn.shown is not None:
            shown = next(seen)
            sent += [
                SentMessage(message=message, step=turn.index, how=shown.how)
                for message in call_results([call.id for call in calls], observation_message(shown))
            ]
    return sent


def completion(raw: str, grammar: Grammar) -> Message:
    """Return a completion as the message in which the model later sees it."""
    return _completion(raw, grammar)[0]


# ---- completions


def _completion(raw: str, grammar: Grammar) -> tuple[Message, list[RecordedCall]]:
    """Return a completion as the message in which the model later sees it, and the tool calls in it."""
    content, calls = record_read(raw) if grammar.has_tools else (raw, [])
    sendable = [replace(call, arguments=_sendable(call.arguments)) for call in calls]
    return assistant_message(content, sendable), calls


def _sendable(arguments: str) -> str:
    """Return arguments that an endpoint accepts: a JSON object, or ``{}`` in place of anything else.

    The client also repairs some arguments that are not JSON. The prompt then differs, which its hash reveals.
    """
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return "{}"
    return arguments if isinstance(value, dict) else "{}"
