"""Do nothing and look again."""

from __future__ import annotations

from dataclasses import dataclass

from palaestra.actions.base import DONE, Action, Outcome, register
from palaestra.pages import WarmPage


@register
@dataclass(frozen=True, kw_only=True)
class Noop(Action):
    type = "noop"

    async def perform(self, page: WarmPage) -> Outcome:
        return DONE
