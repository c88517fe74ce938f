"""Choose an option of a list."""

from __future__ import annotations

from palaestra.actions import fields
from palaestra.actions.base import Action
from palaestra.actions.fields import field
from palaestra.surface import Surface


class Select(Action):
    type = "select"
    description = "Choose an option of a drop-down list, written as the list shows it."
    rank = 4
    aim = "required"
    target: str = fields.target("Id of the list.")
    value: str = field(fields.TEXT, "The option, as the list shows it.", example="...")
    x: int | None = fields.x()
    y: int | None = fields.y()

    async def perform(self, page: Surface) -> None:
        await self.place(page, "choose", self.value)
