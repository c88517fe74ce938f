"""Open an address of the episode."""

from __future__ import annotations

from palaestra.actions import fields
from palaestra.actions.base import Action, ActionFailed
from palaestra.actions.fields import field
from palaestra.surface import Surface


class Goto(Action):
    type = "goto"
    description = "Open an address of this site."
    needs = ("page", "site")
    url: str = field(fields.TEXT, "The address.", example="https://gym/...")

    async def perform(self, page: Surface) -> None:
        address = page.bounds and page.bounds.resolve(self.url, base=page.page.url)
        if not address:
            raise ActionFailed("refused", "That address is outside this task.")
        if not await page.go(address):
            raise ActionFailed("refused", "That address leads to no page of this task.")
