"""Action that moves the mouse over an element or a position."""

from __future__ import annotations

from palaestra.actions import fields
from palaestra.actions.base import Action
from palaestra.pages.surface import Surface
from palaestra.protocol.actions import ACTION_SPECS


class Hover(Action):
    spec = ACTION_SPECS["hover"]
    target: str = fields.target()
    x: int | None = fields.position()
    y: int | None = fields.position()

    async def perform(self, page: Surface) -> None:
        place = await self.place(page, "locate")
        await page.act(page.page.mouse.move(place["x"], place["y"]))
