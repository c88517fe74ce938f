"""Type text into a field, after what it holds or instead of it (``clear``)."""

from __future__ import annotations

from palaestra.actions import fields
from palaestra.actions.base import Action
from palaestra.actions.fields import field
from palaestra.pages import WarmPage

KEYS_MAX = 200  # characters typed key by key; the rest is inserted at once


class Type(Action):
    type = "type"
    description = 'Type text into a field; "clear" empties it first.'
    aim = "optional"
    target: str = fields.target("Id of the field; without one, the text goes where the focus is.")
    text: str = field(fields.TEXT, "The text.", example="...")
    clear: bool = field(fields.FLAG, "Whether to empty the field first.", default=False, example=True)
    x: int | None = fields.x()
    y: int | None = fields.y()

    async def perform(self, page: WarmPage) -> None:
        place = await self.place(page, "focus", self.clear)
        keyboard = page.page.keyboard
        if self.clear and not self.text and place["had"]:
            await page.act(keyboard.press("Backspace"))
        printable = "".join(c for c in self.text if c >= " " or c in "\n\t")
        # In a field of several lines a tab is text; as a key it would indent, or leave the field.
        by_keys = 0 if place["lines"] and "\t" in printable else KEYS_MAX
        if printable[:by_keys]:
            await page.act(keyboard.type(printable[:by_keys]))
        if printable[by_keys:]:
            await page.act(keyboard.insert_text(printable[by_keys:]))
