"""Do nothing and look again."""

from __future__ import annotations

from palaestra.actions.base import Action
from palaestra.surface import Surface


class Noop(Action):
    type = "noop"
    description = "Do nothing."
    needs = ("never",)
    touches_page = False

    async def perform(self, page: Surface) -> None:
        return
