"""Go back to the previous page."""

from __future__ import annotations

from palaestra.actions.base import Action, ActionFailed
from palaestra.pages import WarmPage


class Back(Action):
    type = "back"
    description = "Go back to the previous page."

    async def perform(self, page: WarmPage) -> None:
        if not await page.back():
            raise ActionFailed("no_target", "This is the first page: there is nothing to go back to.")
