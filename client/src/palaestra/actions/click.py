"""Action that clicks an element or a position."""

from __future__ import annotations

from typing import Literal, get_args

from palaestra.actions import fields
from palaestra.actions.base import Action
from palaestra.actions.fields import field
from palaestra.pages.surface import Surface
from palaestra.protocol.actions import ACTION_SPECS

Button = Literal["left", "right", "middle"]
# If the endpoint enforces a schema, weak models name a button just because the schema has one.
OTHER_BUTTON = "That was the {button} mouse button, to which pages seldom react; the left one is usual."


class Click(Action):
    spec = ACTION_SPECS["click"]
    target: str = fields.target()
    button: Button = field(fields.choice(*get_args(Button)), default="left")
    double: bool = field(fields.FLAG, default=False)
    x: int | None = fields.position()
    y: int | None = fields.position()

    async def perform(self, page: Surface) -> str | None:
        place = await self.place(page, "clickable", self.button)
        clicks = 2 if self.double else 1
        mouse = page.page.mouse
        await page.act(mouse.click(place["x"], place["y"], button=self.button, click_count=clicks))
        return None if self.button == "left" else OTHER_BUTTON.format(button=self.button)
