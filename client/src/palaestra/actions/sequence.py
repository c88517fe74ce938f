"""Action that performs several actions in one turn, if the run allows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palaestra.actions.base import Action, ActionFailed, action_check, action_perform
from palaestra.actions.fields import ActionInvalid, Reader, field
from palaestra.pages.surface import Surface
from palaestra.protocol.action_results import carried_out
from palaestra.protocol.actions import ACTION_SPECS

ALONE = ("sequence", "answer", "give_up")


def as_actions(value: Any, name: str) -> tuple[Action, ...]:
    """Convert a list of objects to checked actions. Raises ``ActionInvalid``."""
    if not isinstance(value, list) or not value or not all(isinstance(item, Mapping) for item in value):
        raise ActionInvalid(f'"{name}" must be a list of actions.')
    if alone := next((item["type"] for item in value if item.get("type") in ALONE), None):
        raise ActionInvalid(f'"{alone}" must be the only action of its turn.')
    return tuple(action_check(item) for item in value)


READER = Reader(read=as_actions, schema={"type": "array", "minItems": 1, "items": {"type": "object"}})


class Sequence(Action):
    spec = ACTION_SPECS["sequence"]
    actions: tuple[Action, ...] = field(READER)

    async def perform(self, page: Surface) -> str | None:
        for number, action in enumerate(self.actions, start=1):
            outcome = await action_perform(page, action)
            page.target_path = ""
            if outcome.result != "ok":
                raise ActionFailed(
                    outcome.result, f"{self._done(number - 1)}Number {number}: {outcome.message}"
                )
            if number < len(self.actions) and await page.is_left():
                return f"{self._done(number)}The page changed, so the rest was left out."
        return None

    def _done(self, number: int) -> str:
        return carried_out(number, len(self.actions))
