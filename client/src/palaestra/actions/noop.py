"""Action that does nothing, so that the agent observes the page again."""

from __future__ import annotations

from palaestra.actions.base import Action
from palaestra.pages.surface import Surface
from palaestra.protocol.actions import ACTION_SPECS


class Noop(Action):
    spec = ACTION_SPECS["noop"]
    touches_page = False

    async def perform(self, page: Surface) -> None:
        return
