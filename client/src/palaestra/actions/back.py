"""Go back to the previous page."""

from __future__ import annotations

from dataclasses import dataclass

from palaestra.actions.base import DONE, Action, Outcome, register
from palaestra.pages import WarmPage


@register
@dataclass(frozen=True, kw_only=True)
class Back(Action):
    type = "back"

    async def perform(self, page: WarmPage) -> Outcome:
        if await page.back():
            return DONE
        return Outcome(result="no_target", message="This is the first page: there is nothing to go back to.")
