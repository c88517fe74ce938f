"""Type text into a field, after what it holds or instead of it (``clear``)."""

from __future__ import annotations

import re
import time

from palaestra.actions import fields
from palaestra.actions.base import Action
from palaestra.actions.fields import field
from palaestra.errors import PageHung
from palaestra.surface import Surface

# Characters typed key by key, as long as the page keeps pace; the rest is inserted at once.
KEYS_MAX = 200
KEYS_LIMIT_S = 3.0
# Parts of a text. Line breaks and tabs are keys at any pace: in a field of one line they send its form or
# leave it.
PART = re.compile(r"[\n\t]|[^\n\t]{1,10}")


class Type(Action):
    type = "type"
    description = 'Type text into a field; "clear" empties it first.'
    rank = 3
    aim = "optional"
    target: str = fields.target("Id of the field; without one, the text goes where the focus is.")
    text: str = field(fields.TEXT, "The text.", example="...")
    clear: bool = field(fields.FLAG, "Whether to empty the field first.", default=False, example=True)
    x: int | None = fields.x()
    y: int | None = fields.y()

    async def perform(self, page: Surface) -> None:
        place = await self.place(page, "focus", self.clear)
        keyboard = page.page.keyboard
        if self.clear and not self.text and place["had"]:
            await page.act(keyboard.press("Backspace"))
        printable = "".join(c for c in self.text if c >= " " or c in "\n\t")
        # In a field of several lines a tab is text; as a key it would indent, or leave the field.
        by_keys = 0 if place["lines"] and "\t" in printable else KEYS_MAX
        await _typed(page, printable, by_keys=by_keys)


async def _typed(page: Surface, text: str, *, by_keys: int) -> None:
    """Type a text where the focus is. Raises ``PageHung`` with how much of it surely arrived."""
    keyboard, typed, started = page.page.keyboard, 0, time.monotonic()
    parts = [*PART.findall(text[:by_keys]), text[by_keys:]]
    try:
        for part in filter(None, parts):
            keeps_pace = time.monotonic() - started < KEYS_LIMIT_S
            is_typed = typed < by_keys and (keeps_pace or part in "\n\t")
            await page.act(keyboard.type(part) if is_typed else keyboard.insert_text(part))
            typed += len(part)
    except PageHung as failure:
        arrived = f"At least {typed} of {len(text)} characters arrived: see what the field holds."
        raise PageHung(f"{failure} {arrived}") from failure
