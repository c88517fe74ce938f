"""Action that gives the answer in tasks whose page does not accept answers."""

from __future__ import annotations

from typing import Any

from palaestra.actions.base import Action, ActionFailed
from palaestra.actions.fields import ActionInvalid, Reader, as_text, field
from palaestra.pages.surface import Surface
from palaestra.protocol.actions import ACTION_SPECS

VALUES_MAX = 100


def as_text_or_texts(value: Any, name: str) -> str | tuple[str, ...]:
    """Return a single answer, or a list of answers as a tuple. Raises ``ActionInvalid``."""
    if not isinstance(value, list):
        return as_text(value, name)
    if not 0 < len(value) <= VALUES_MAX:
        raise ActionInvalid(f'"{name}" must be a string or a list of 1 to {VALUES_MAX} strings.')
    return tuple(as_text(item, name) for item in value)


TEXTS = Reader(
    read=as_text_or_texts,
    schema={"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
)


class Answer(Action):
    spec = ACTION_SPECS["answer"]
    text: str | tuple[str, ...] = field(TEXTS)

    async def perform(self, page: Surface) -> None:
        raise ActionFailed("refused", "Answer through the page: there is no other way in this task.")
