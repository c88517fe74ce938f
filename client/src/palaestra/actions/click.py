"""Click an element or a position."""

from __future__ import annotations

from typing import Literal, get_args

from palaestra.actions import fields
from palaestra.actions.base import Action
from palaestra.actions.fields import field
from palaestra.surface import Surface

Button = Literal["left", "right", "middle"]
# Weak models whose endpoint enforces a schema name a button only because they may.
OTHER_BUTTON = (
    "That was the {button} button of the mouse, to which pages seldom react; the left one is the usual."
)


class Click(Action):
    type = "click"
    description = "Click an element."
    rank = 2
    aim = "required"
    target: str = fields.target()
    button: Button = field(fields.choice(*get_args(Button)), "Left, right or middle.", default="left")
    double: bool = field(fields.FLAG, "Whether to click twice.", default=False)
    x: int | None = fields.x()
    y: int | None = fields.y()

    async def perform(self, page: Surface) -> str | None:
        place = await self.place(page, "clickable", self.button)
        clicks = 2 if self.double else 1
        mouse = page.page.mouse
        await page.act(mouse.click(place["x"], place["y"], button=self.button, click_count=clicks))
        return None if self.button == "left" else OTHER_BUTTON.format(button=self.button)
