"""Choose an option of a list."""

from __future__ import annotations

from palaestra.actions.base import Action, as_element, as_text, field
from palaestra.pages import WarmPage


class Select(Action):
    type = "select"
    target: str = field(as_element)
    value: str = field(as_text)

    async def perform(self, page: WarmPage) -> None:
        await self.place(page, "choose", self.target, self.value)
