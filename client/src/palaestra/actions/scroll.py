"""Scroll the page, or the frame around an element or position, by pixels."""

from __future__ import annotations

from palaestra.actions import fields
from palaestra.actions.base import Action
from palaestra.actions.fields import ActionInvalid, field
from palaestra.surface import Surface

DISTANCE_MAX_PX = 100_000
DISTANCE = fields.number(DISTANCE_MAX_PX)


class Scroll(Action):
    type = "scroll"
    description = 'Scroll the page, or the part of it that is named, by pixels; a negative "dy" is up.'
    rank = 7
    aim = "optional"
    dx: int = field(DISTANCE, "Pixels to the right; negative is left.", default=0)
    dy: int = field(DISTANCE, "Pixels down; negative is up.", default=0, example=600)
    target: str = fields.target("Id of an element in the part to scroll.", example=None)
    x: int | None = fields.x("Pixels from the left edge, in the part to scroll.", example=None)
    y: int | None = fields.y("Pixels from the top edge, in the part to scroll.", example=None)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.dx and not self.dy:
            raise ActionInvalid(
                'A scroll says how far, in pixels: "dy" (positive is down), "dx" (positive is right) or '
                'both, such as {"type": "scroll", "dy": 600}.'
            )

    async def perform(self, page: Surface) -> None:
        # A picture may be smaller than the page that it shows.
        await self.place(page, "scroll", self.dx / page.picture_scale, self.dy / page.picture_scale)
