"""The page actions of episodes without steps in trajectories, computed on reading and stored nowhere."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from trajectories.behaviour.facts.page_actions import SeenEvent, page_actions

# As Postgres writes it; the rest of the text is read only where this occurs.
_NO_STEPS = '"steps" : []'


class _Event(msgspec.Struct):
    page: str
    seq: int
    step: int | None
    kind: str
    at_ms: float
    data: Any
    received_at: datetime


_PARTS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_EVENTS = msgspec.json.Decoder(list[_Event])


def with_page_actions(text: str) -> str:
    """A trajectory with its page actions; nothing else changes."""
    if _NO_STEPS not in text:
        return text
    parts: dict[str, Any] = _PARTS.decode(text)
    if bytes(parts["steps"]) != b"[]":
        return text
    actions = page_actions(
        _seen(event) for event in _EVENTS.decode(parts["page_events"]) if event.step is None
    )
    if not actions:
        return text
    return msgspec.json.encode(parts | {"page_actions": actions}).decode()


def _seen(event: _Event) -> SeenEvent:
    return SeenEvent(
        page=event.page,
        seq=event.seq,
        kind=event.kind,
        at_ms=event.at_ms,
        data=event.data if isinstance(event.data, dict) else {},
        received_ms=event.received_at.timestamp() * 1000,
    )
