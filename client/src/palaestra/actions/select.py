"""Choose an option of a list."""

from __future__ import annotations

from palaestra.actions.base import DONE, Action, Outcome, as_element, as_text, field, no_target
from palaestra.pages import WarmPage


class Select(Action):
    type = "select"
    target: str = field(as_element)
    value: str = field(as_text)

    async def perform(self, page: WarmPage) -> Outcome:
        place = await page.call("choose", self.target, self.value)
        return no_target(self.target, place["problem"]) if "problem" in place else DONE
