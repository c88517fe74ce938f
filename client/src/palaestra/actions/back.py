"""Go back to the previous page."""

from __future__ import annotations

from palaestra.actions.base import DONE, Action, Outcome
from palaestra.pages import WarmPage


class Back(Action):
    type = "back"

    async def perform(self, page: WarmPage) -> Outcome:
        if await page.back():
            return DONE
        return Outcome(result="no_target", message="This is the first page: there is nothing to go back to.")
