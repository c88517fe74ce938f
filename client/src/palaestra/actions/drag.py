"""Action that drags from one element or position to another."""

from __future__ import annotations

from palaestra.actions import fields
from palaestra.actions.base import Action, place_check, resolve_aim
from palaestra.pages.surface import Surface
from palaestra.protocol.actions import ACTION_SPECS

MOVES = 8  # intermediate positions of the mouse


class Drag(Action):
    spec = ACTION_SPECS["drag"]
    target: str = fields.target()
    to_target: str = fields.target()
    x: int | None = fields.position()
    y: int | None = fields.position()
    to_x: int | None = fields.position()
    to_y: int | None = fields.position()

    def __post_init__(self) -> None:
        super().__post_init__()
        self._aim_check("to_target", "to_x", "to_y", is_required=True)

    async def perform(self, page: Surface) -> None:
        end = resolve_aim(page, self, target="to_target", x="to_x", y="to_y")
        place = await self.place(page, "span", end)
        place_check(page, end, place["end"])
        mouse = page.page.mouse
        await page.act(mouse.move(place["x"], place["y"]))
        await page.act(mouse.down())
        try:
            await page.act(mouse.move(place["end"]["x"], place["end"]["y"], steps=MOVES))
        finally:
            await page.act(mouse.up())
