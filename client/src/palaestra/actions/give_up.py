"""End the episode without an answer."""

from __future__ import annotations

from palaestra.actions import fields
from palaestra.actions.base import Action
from palaestra.actions.fields import field
from palaestra.surface import Surface


class GiveUp(Action):
    type = "give_up"
    description = "End the task without an answer, which counts as incorrect."
    needs = ()
    touches_page = False
    reason: str = field(fields.TEXT, "Why.", default="", example="...")

    async def perform(self, page: Surface) -> None:
        return
