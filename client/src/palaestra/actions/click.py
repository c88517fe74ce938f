"""Click an element."""

from __future__ import annotations

from palaestra.actions.base import DONE, Action, Outcome, as_element, field, no_target
from palaestra.pages import WarmPage


class Click(Action):
    type = "click"
    target: str = field(as_element)

    async def perform(self, page: WarmPage) -> Outcome:
        place = await page.call("locate", self.target)
        if "problem" in place:
            return no_target(self.target, place["problem"])
        await page.act(page.page.mouse.click(place["x"], place["y"]))
        return DONE
