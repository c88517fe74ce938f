"""Action that opens an address of the episode."""

from __future__ import annotations

from palaestra.actions import fields
from palaestra.actions.base import Action, ActionFailed
from palaestra.actions.fields import field
from palaestra.pages.surface import Surface
from palaestra.protocol.actions import ACTION_SPECS


class Goto(Action):
    spec = ACTION_SPECS["goto"]
    url: str = field(fields.TEXT)

    async def perform(self, page: Surface) -> None:
        address = page.bounds and page.bounds.resolve(self.url, base=page.page.url)
        if not address:
            raise ActionFailed("refused", "That address is outside this task.")
        if not await page.go(address):
            raise ActionFailed("refused", "That address leads to no page of this task.")
