"""Scroll the page, or the frame around an element, by pixels."""

from __future__ import annotations

from palaestra.actions.base import Action, ActionInvalid, as_element, as_number, field
from palaestra.pages import WarmPage

DISTANCE_MAX_PX = 100_000


class Scroll(Action):
    type = "scroll"
    dx: int = field(as_number(DISTANCE_MAX_PX), default=0)
    dy: int = field(as_number(DISTANCE_MAX_PX), default=0)
    target: str = field(as_element, default="")

    def __post_init__(self) -> None:
        if not self.dx and not self.dy:
            raise ActionInvalid(
                'A scroll says how far, in pixels: "dy" (positive is down), "dx" (positive is right) or '
                'both, such as {"type": "scroll", "dy": 600}.'
            )

    async def perform(self, page: WarmPage) -> None:
        if self.target:
            place = await self.place(page, "locate", self.target)
        elif self.dx and not self.dy:
            place = await self.place(page, "sideways", self.dx)
        else:
            await page.announce_step()
            place = {}
        # Where else the mouse is makes no difference.
        if place:
            await page.act(page.page.mouse.move(place["x"], place["y"]))
        await page.act(page.page.mouse.wheel(self.dx, self.dy))
