"""Press a key, on an element or wherever the focus is."""

from __future__ import annotations

import re

from palaestra.actions.base import Action, ActionFailed, as_element, as_text, field
from palaestra.pages import WarmPage

# Keys that act inside the page. Those of the browser (new tab, address bar, view source) and of the
# clipboard, which all pages of a machine share, are refused.
KEY = re.compile(
    r"^(?:Shift\+)?(?:Enter|Tab|Escape|Backspace|Delete|Insert|Home|End|PageUp|PageDown|Space|"
    r"Arrow(?:Up|Down|Left|Right)|[^\s\x00-\x1f])$"
)
CHORD = re.compile(
    r"^Control\+(?:Shift\+)?(?:[aAzZyY]|Home|End|Backspace|Delete|Enter|Arrow(?:Up|Down|Left|Right))$"
)


class Press(Action):
    type = "press"
    key: str = field(as_text)
    target: str = field(as_element, default="")

    async def perform(self, page: WarmPage) -> None:
        key = "Space" if self.key == " " else self.key
        if not KEY.match(key) and not CHORD.match(key):
            raise ActionFailed("refused", f"The key {key[:40]!r} is not available.")
        if self.target:
            await self.place(page, "reach", self.target)
        else:
            await page.announce_step()
        await page.act(page.page.keyboard.press(key))
