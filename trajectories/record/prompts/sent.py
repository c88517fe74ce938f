"""The conversation that a model was sent before a step, made again from what is recorded.

The client, which sends it, has the same rules in ``palaestra.histories``; a test holds both equal, and a step
may carry the hash of what was sent. Pictures are named by their hash.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec

from palaestra.protocol.changes import outline_diff
from palaestra.protocol.folds import outline_folded, sections_of
from palaestra.protocol.grammars import Grammar
from palaestra.protocol.histories import History
from palaestra.protocol.observations import OBSERVATION_FORMATS
from trajectories.record.prompts.conversation import Message
from trajectories.record.prompts.outlines import outline_diff, outline_folded, sections_of

UNCHANGED = "The page is as it was."
SAME_OUTLINE = "The outline is as it was."
LEFT_OUT = "(left out: an older page)"
# What the other calls of a turn with several get as their result.
ELSEWHERE = "See the result of the last call."

How = Literal["", "folded", "changes", "unchanged", "left_out"]
HOW_LABELS: Mapping[How, str] = {
    "folded": "sections shown above left out",
    "changes": "only what changed",
    "unchanged": "page as before",
    "left_out": "older page, left out",
}


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What was shown before a step: the result of the action before it, and the page.

    ``picture`` is the hash of the screenshot, empty if the format shows none; ``how`` is what became of the
    page.
    """

    kind: str
    text: str = ""
    picture: str = ""
    result: str = ""
    result_message: str = ""
    how: How = ""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """A recorded step; ``shown`` is None at the first one of an arm without a page."""

    index: int
    raw: str
    shown: Shown | None


@dataclass(frozen=True, kw_only=True)
class SentMessage:
    """A message as it was sent. ``step`` is that of its turn, None for those that open the episode."""

    message: Message
    step: int | None = None
    how: How = ""


def messages_sent(
    *, history: History, grammar: Grammar, opening: Sequence[Message], turns: Sequence[Turn]
) -> list[SentMessage]:
    """The messages before the last of ``turns``."""
    seen = iter(_as_sent([turn.shown for turn in turns if turn.shown], history=history))
    sent = [SentMessage(message=message) for message in opening]
    for place, turn in enumerate(turns):
        calls: list[_Call] = []
        if place:
            before = turns[place - 1]
            message, calls = _completion(before.raw, grammar)
            sent.append(SentMessage(message=message, step=before.index))
        if turn.shown is not None:
            shown = next(seen)
            sent += [
                SentMessage(message=message, step=turn.index, how=shown.how)
                for message in _results(calls, observation(shown))
            ]
    return sent


def completion(raw: str, grammar: Grammar) -> Message:
    """A completion as the message that shows it to its model."""
    return _completion(raw, grammar)[0]


# ---- pages


def _as_sent(shown: Sequence[Shown], *, history: History) -> list[Shown]:
    if history.policy.id == "last_k":
        first = max(0, len(shown) - (history.number or 1))
        return [_left_out(older) for older in shown[:first]] + _full(shown[first:])
    sent = _full(shown)
    if history.policy.id == "diff":
        sent[1:] = map(_changed, shown, shown[1:], sent[1:])
    return sent


def _full(shown: Sequence[Shown]) -> list[Shown]:
    """Each page without the sections that those above it show."""
    sent: list[Shown] = []
    above: set[str] = set()
    for place, now in enumerate(shown):
        if place and _is_same_page(shown[place - 1], now):
            sent.append(replace(now, text=UNCHANGED, picture="", how="unchanged"))
            continue
        folded = outline_folded(now.text, above) if _has_outline(now) else now.text
        sent.append(replace(now, text=folded, how="folded") if folded != now.text else now)
        above |= sections_of(now.text)
    return sent


def _changed(before: Shown, now: Shown, sent: Shown) -> Shown:
    if _is_same_page(before, now) or not _has_outline(now):
        return sent
    difference = outline_diff(before.text, now.text) or SAME_OUTLINE
    text = min(difference, sent.text, key=len)
    return sent if text == sent.text else replace(now, text=text, how="changes")


def _left_out(shown: Shown) -> Shown:
    has_content = bool(shown.text or shown.picture)
    return replace(shown, text=LEFT_OUT if has_content else "", picture="", how="left_out")


def _has_outline(shown: Shown) -> bool:
    form = OBSERVATION_FORMATS.get(shown.kind)
    return form is not None and form.has_text


def _is_same_page(before: Shown, now: Shown) -> bool:
    if not now.text and not now.picture:
        return False
    return (before.kind, before.text, before.picture) == (now.kind, now.text, now.picture)


def observation(shown: Shown) -> Message:
    """The message that shows a model the result of its action, and the page."""
    lines = []
    if shown.result:
        detail = f" {shown.result_message}" if shown.result_message else ""
        lines.append(f"Result of your action: {shown.result}.{detail}")
    if shown.text:
        lines.append(f"Observation ({shown.kind}):\n{shown.text}")
    text = "\n\n".join(lines) or "Observation:"
    if not shown.picture:
        return {"role": "user", "content": text}
    picture = {"type": "image_url", "image_url": {"url": shown.picture}}
    return {"role": "user", "content": [{"type": "text", "text": text}, picture]}


# ---- completions


class _Call(msgspec.Struct):
    name: str
    arguments: str
    id: str = ""


class _Recorded(msgspec.Struct, forbid_unknown_fields=True):
    content: str
    tool_calls: list[_Call]


def _completion(raw: str, grammar: Grammar) -> tuple[Message, list[_Call]]:
    """The message that shows a model a completion of its own, and the calls in it."""
    try:
        record = msgspec.json.decode(raw, type=_Recorded) if grammar.has_tools else None
    except (msgspec.MsgspecError, UnicodeError):
        record = None
    if record is None:
        return {"role": "assistant", "content": raw}, []
    message: Message = {"role": "assistant", "content": record.content}
    if record.tool_calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": _sendable(call.arguments)},
            }
            for call in record.tool_calls
        ]
    return message, record.tool_calls


def _results(calls: Sequence[_Call], message: Message) -> Iterator[Message]:
    """``message`` as the result of the last call; what is no text follows as the user's."""
    if not calls:
        yield message
        return
    content = message["content"]
    parts: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content
    text = "\n\n".join(part["text"] for part in parts if part["type"] == "text")
    for call in calls:
        yield {"role": "tool", "tool_call_id": call.id, "content": text if call is calls[-1] else ELSEWHERE}
    if others := [part for part in parts if part["type"] != "text"]:
        yield {"role": "user", "content": others}


def _sendable(arguments: str) -> str:
    """Arguments that an endpoint takes back. The client also repairs some that are no JSON; the hash of the
    prompt tells."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return "{}"
    return arguments if isinstance(value, dict) else "{}"
