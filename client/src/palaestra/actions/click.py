"""Click an element."""

from __future__ import annotations

from palaestra.actions.base import Action, as_element, field
from palaestra.pages import WarmPage


class Click(Action):
    type = "click"
    target: str = field(as_element)

    async def perform(self, page: WarmPage) -> None:
        place = await self.place(page, "locate", self.target)
        await page.act(page.page.mouse.click(place["x"], place["y"]))
