"""Do nothing and look again."""

from __future__ import annotations

from palaestra.actions.base import Action
from palaestra.pages import WarmPage


class Noop(Action):
    type = "noop"
    description = "Do nothing."
    needs = ("never",)
    touches_page = False

    async def perform(self, page: WarmPage) -> None:
        return
