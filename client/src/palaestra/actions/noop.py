"""Do nothing and look again."""

from __future__ import annotations

from palaestra.actions.base import Action
from palaestra.protocol.actions import ACTION_SPECS
from palaestra.surface import Surface


class Noop(Action):
    spec = ACTION_SPECS["noop"]
    touches_page = False

    async def perform(self, page: Surface) -> None:
        return
