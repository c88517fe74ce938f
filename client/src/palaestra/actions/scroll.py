"""Action that scrolls the page, or the frame around an element or position, by a number of pixels."""

from __future__ import annotations

from palaestra.actions import fields
from palaestra.actions.base import Action
from palaestra.actions.fields import ActionInvalid, field
from palaestra.pages.surface import Surface
from palaestra.protocol.actions import ACTION_SPECS

DISTANCE_MAX_PX = 100_000
DISTANCE = fields.number(DISTANCE_MAX_PX)


class Scroll(Action):
    spec = ACTION_SPECS["scroll"]
    dx: int = field(DISTANCE, default=0)
    dy: int = field(DISTANCE, default=0)
    target: str = fields.target()
    x: int | None = fields.position()
    y: int | None = fields.position()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.dx and not self.dy:
            raise ActionInvalid(
                'Give the distance to scroll in pixels: "dy" (positive is down), "dx" (positive is right) or '
                'both, such as {"type": "scroll", "dy": 600}.'
            )

    async def perform(self, page: Surface) -> None:
        # A picture may be smaller than the page that it shows, so distances are converted.
        await self.place(page, "scroll", self.dx / page.picture_scale, self.dy / page.picture_scale)
