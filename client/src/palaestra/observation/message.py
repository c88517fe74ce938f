"""The chat message that shows a model an observation."""

from __future__ import annotations

from palaestra.observation.base import Observation
from palaestra.protocol import conversation
from palaestra.protocol.conversation import Shown
from palaestra.protocol.observations import has_picture
from palaestra.records import Message


def shown_of(observation: Observation) -> Shown:
    """Return the part of an observation that a model sees: no screenshot taken for the record alone."""
    return Shown(
        kind=observation.kind,
        text=observation.text,
        picture=(observation.screenshot or b"") if has_picture(observation.kind) else b"",
        result=observation.result or "",
        result_message=observation.result_message,
    )


def observation_message(observation: Observation) -> Message:
    """The chat message that shows a model an observation."""
    return conversation.observation_message(shown_of(observation))
