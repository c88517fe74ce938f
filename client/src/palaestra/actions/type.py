"""Action that types text into a field, after its content or in its place (``clear``)."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any

from palaestra.actions import fields
from palaestra.actions.base import Action, ActionFailed
from palaestra.actions.fields import field
from palaestra.errors import PageHung
from palaestra.pages.native import NATIVES, describe_takes, native_value, parse_number
from palaestra.pages.surface import Surface
from palaestra.protocol.actions import ACTION_SPECS

# Most characters typed key by key, as long as the page keeps pace; the rest is inserted in one go.
KEYS_MAX = 200
KEYS_LIMIT_S = 3.0
# Parts of a text. Line breaks and tabs are always typed as keys, because in a single-line field they send the
# form or leave the field.
PART = re.compile(r"[\n\t]|[^\n\t]{1,10}")


class Type(Action):
    spec = ACTION_SPECS["type"]
    target: str = fields.target()
    text: str = field(fields.TEXT)
    clear: bool = field(fields.FLAG, default=False)
    x: int | None = fields.position()
    y: int | None = fields.position()

    async def perform(self, page: Surface) -> str | None:
        place = await self.place(page, "focus", self.clear)
        keyboard, kind = page.page.keyboard, place.get("kind", "")
        printable = "".join(c for c in self.text if c >= " " or c in "\n\t")
        if kind in NATIVES:
            value = printable.rstrip("\n\t")
            await self._enter(page, value, place)
            printable = printable[len(value) :]
        elif self.clear and not self.text and place["had"]:
            await page.act(keyboard.press("Backspace"))
        # In a multi-line field a tab is text; typed as a key it would indent, or leave the field.
        is_indented = place["lines"] and "\t" in printable
        by_keys = KEYS_MAX if page.types_by_keys and not is_indented else 0
        await _typed(page, printable, by_keys=by_keys)
        is_whole = self.clear or not place["had"]
        if kind == "number" and is_whole and printable.strip() and not {"\n", "\t"} & set(printable):
            return await self._number_check(page, printable)
        return None

    async def _enter(self, page: Surface, text: str, place: Mapping[str, Any]) -> None:
        """Set the value of a field, such as a date, for which every browser has keys of its own."""
        if not text and not self.clear:
            return
        value = native_value(place["kind"], text, place)
        answer = await page.call("enter", {}, value) if value is not None else {}
        if not answer.get("taken"):
            takes = describe_takes(place["kind"], place)
            raise ActionFailed(
                "refused", f"{self.target or 'The field'}: it takes {takes}; it was left as it is."
            )

    async def _number_check(self, page: Surface, text: str) -> str | None:
        """Return a sentence on what a number field kept of a text, or None if it dropped no characters."""
        held = (await page.call("held"))["value"]
        if held and parse_number(held) == parse_number(text):
            return None
        takes = f"{self.target or 'The field'}: it takes a number, such as 12.5"
        if not held:
            raise ActionFailed("refused", f"{takes}; it holds nothing now.")
        return f'{takes}; it holds "{held[:40]}" now.'


async def _typed(page: Surface, text: str, *, by_keys: int) -> None:
    """Type a text where the focus is. Raises ``PageHung``, whose message gives how much certainly arrived."""
    keyboard, typed, started = page.page.keyboard, 0, time.monotonic()
    parts = [*PART.findall(text[:by_keys]), text[by_keys:]]
    try:
        for part in filter(None, parts):
            keeps_pace = time.monotonic() - started < KEYS_LIMIT_S
            is_typed = typed < by_keys and (keeps_pace or part in "\n\t")
            await page.act(keyboard.type(part) if is_typed else keyboard.insert_text(part))
            typed += len(part)
    except PageHung as failure:
        arrived = f"At least {typed} of {len(text)} characters arrived: check what the field contains."
        raise PageHung(f"{failure} {arrived}") from failure
