"""Scroll the page, or the frame around an element, by pixels."""

from __future__ import annotations

from typing import Any

from palaestra.actions.base import (
    DONE,
    Action,
    ActionInvalid,
    Outcome,
    as_element,
    as_number,
    field,
    no_target,
)
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

    async def perform(self, page: WarmPage) -> Outcome:
        place = await self._place(page)
        if "problem" in place:
            return no_target(self.target, place["problem"])
        if place:
            await page.act(page.page.mouse.move(place["x"], place["y"]))
        await page.act(page.page.mouse.wheel(self.dx, self.dy))
        return DONE

    async def _place(self, page: WarmPage) -> dict[str, Any]:
        """Where the mouse has to be; empty where that makes no difference."""
        if self.target:
            return await page.call("locate", self.target)
        if self.dx and not self.dy:
            return await page.call("sideways", self.dx)
        await page.announce_step()
        return {}
