"""Keep a text for later turns."""

from __future__ import annotations

from palaestra.actions import fields
from palaestra.actions.base import Action
from palaestra.actions.fields import field
from palaestra.surface import Surface


class Note(Action):
    type = "note"
    description = "Keep a text in mind: later turns show it again, whatever else they leave out."
    needs = ()
    touches_page = False
    text: str = field(fields.TEXT, "The text.", example="...")

    async def perform(self, page: Surface) -> None:
        return
