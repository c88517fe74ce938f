"""Action that keeps a text for later turns."""

from __future__ import annotations

from palaestra.actions import fields
from palaestra.actions.base import Action
from palaestra.actions.fields import field
from palaestra.pages.surface import Surface
from palaestra.protocol.actions import ACTION_SPECS


class Note(Action):
    spec = ACTION_SPECS["note"]
    touches_page = False
    text: str = field(fields.TEXT)

    async def perform(self, page: Surface) -> None:
        return
