"""Action that chooses an option in a list."""

from __future__ import annotations

from palaestra.actions import fields
from palaestra.actions.base import Action
from palaestra.actions.fields import field
from palaestra.pages.surface import Surface
from palaestra.protocol.actions import ACTION_SPECS


class Select(Action):
    spec = ACTION_SPECS["select"]
    target: str = fields.target()
    value: str = field(fields.TEXT)
    x: int | None = fields.position()
    y: int | None = fields.position()

    async def perform(self, page: Surface) -> None:
        await self.place(page, "choose", self.value)
