"""Open an address of the episode."""

from __future__ import annotations

from palaestra.actions.base import Action, ActionFailed, as_text, field
from palaestra.pages import WarmPage


class Goto(Action):
    type = "goto"
    url: str = field(as_text)

    async def perform(self, page: WarmPage) -> None:
        address = page.bounds and page.bounds.resolve(self.url, base=page.page.url)
        if not address:
            raise ActionFailed("refused", "That address is outside this task.")
        if not await page.go(address):
            raise ActionFailed("refused", "That address leads to no page of this task.")
