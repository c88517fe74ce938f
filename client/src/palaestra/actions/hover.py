"""Move the mouse over an element or a position."""

from __future__ import annotations

from palaestra.actions import fields
from palaestra.actions.base import Action
from palaestra.surface import Surface


class Hover(Action):
    type = "hover"
    description = "Move the mouse over an element without clicking."
    aim = "required"
    target: str = fields.target()
    x: int | None = fields.x()
    y: int | None = fields.y()

    async def perform(self, page: Surface) -> None:
        place = await self.place(page, "locate")
        await page.act(page.page.mouse.move(place["x"], place["y"]))
