"""Action that goes back to the previous page."""

from __future__ import annotations

from palaestra.actions.base import Action, ActionFailed
from palaestra.pages.surface import Surface
from palaestra.protocol.actions import ACTION_SPECS


class Back(Action):
    spec = ACTION_SPECS["back"]

    async def perform(self, page: Surface) -> None:
        if not await page.back():
            raise ActionFailed("no_target", "This is the first page: there is nothing to go back to.")
