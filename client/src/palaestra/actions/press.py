"""Action that presses a key, on an element or wherever the focus is."""

from __future__ import annotations

import re

from palaestra.actions import fields
from palaestra.actions.base import Action, ActionFailed
from palaestra.actions.fields import field
from palaestra.pages.surface import Surface
from palaestra.protocol.actions import ACTION_SPECS, KEYS

# Keys that act inside the page. Keys of the browser (new tab, address bar, view source) and of the
# clipboard, which all pages on a machine share, are refused.
KEY = re.compile(
    r"^(?:Shift\+)?(?:Enter|Tab|Escape|Backspace|Delete|Insert|Home|End|PageUp|PageDown|Space|"
    r"Arrow(?:Up|Down|Left|Right)|[^\s\x00-\x1f])$"
)
CHORD = re.compile(
    r"^Control\+(?:Shift\+)?(?:[aAzZyY]|Home|End|Backspace|Delete|Enter|Arrow(?:Up|Down|Left|Right))$"
)


class Press(Action):
    spec = ACTION_SPECS["press"]
    key: str = field(fields.TEXT)
    target: str = fields.target()

    async def perform(self, page: Surface) -> None:
        key = "Space" if self.key == " " else self.key
        if not KEY.match(key) and not CHORD.match(key):
            known = f"Keys are {KEYS}. A button on the page is clicked instead."
            raise ActionFailed("refused", f"The key {key[:40]!r} is not available. {known}")
        if self.target:
            await self.place(page, "reach")
        else:
            await page.announce_step()
        await page.act(page.page.keyboard.press(key))
