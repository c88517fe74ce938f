"""Action that finds a text on the page."""

from __future__ import annotations

from palaestra.actions import fields
from palaestra.actions.base import Action, ActionFailed
from palaestra.actions.fields import ActionInvalid, field
from palaestra.pages.surface import Surface
from palaestra.protocol.actions import ACTION_SPECS

LINES_MAX = 20


class Find(Action):
    spec = ACTION_SPECS["find"]
    text: str = field(fields.TEXT)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.text.strip():
            raise ActionInvalid('"text" is what to look for: it must not be empty.')

    async def perform(self, page: Surface) -> str:
        result = await page.call("linesWith", self.text, LINES_MAX)
        count = result["count"]
        if not count:
            raise ActionFailed("no_target", f'"{self.text:.80}" is nowhere on the page.')
        shown = [f"- {each['line']}{_place(each['section'])}" for each in result["lines"]]
        if count > len(shown):
            shown.append(f"... and {count - len(shown)} more lines")
        lines = "1 line contains" if count == 1 else f"{count} lines contain"
        return page.masked("\n".join([f'{lines} "{self.text:.80}":', *shown]))


def _place(section: str) -> str:
    return f" (in {section})" if section else ""
