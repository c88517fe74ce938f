"""Open an address of the episode."""

from __future__ import annotations

from palaestra.actions.base import DONE, Action, Outcome, as_text, field
from palaestra.pages import WarmPage


class Goto(Action):
    type = "goto"
    url: str = field(as_text)

    async def perform(self, page: WarmPage) -> Outcome:
        address = page.bounds and page.bounds.resolve(self.url, base=page.page.url)
        if not address:
            return Outcome(result="refused", message="That address is outside this task.")
        if not await page.go(address):
            return Outcome(result="refused", message="That address leads to no page of this task.")
        return DONE
