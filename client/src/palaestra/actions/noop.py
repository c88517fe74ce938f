"""Do nothing and look again."""

from __future__ import annotations

from palaestra.actions.base import DONE, Action, Outcome
from palaestra.pages import WarmPage


class Noop(Action):
    type = "noop"

    async def perform(self, page: WarmPage) -> Outcome:
        return DONE
