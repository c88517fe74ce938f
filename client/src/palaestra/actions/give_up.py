"""Action that ends the episode without an answer."""

from __future__ import annotations

from palaestra.actions import fields
from palaestra.actions.base import Action
from palaestra.actions.fields import field
from palaestra.pages.surface import Surface
from palaestra.protocol.actions import ACTION_SPECS


class GiveUp(Action):
    spec = ACTION_SPECS["give_up"]
    touches_page = False
    reason: str = field(fields.TEXT, default="")

    async def perform(self, page: Surface) -> None:
        return
