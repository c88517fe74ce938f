"""Action that waits for a moment."""

from __future__ import annotations

from typing import Any

from palaestra.actions.base import Action
from palaestra.actions.fields import Reader, as_number, field
from palaestra.pages.surface import Surface
from palaestra.protocol.actions import ACTION_SPECS, WAIT_MAX_MS, WAIT_MS


def as_pause(value: Any, name: str) -> int:
    """Return milliseconds, limited to between 0 and ``WAIT_MAX_MS``."""
    return min(max(as_number(10**9)(value, name), 0), WAIT_MAX_MS)


PAUSE = Reader(read=as_pause, schema={"type": "integer", "minimum": 0, "maximum": WAIT_MAX_MS})


class Wait(Action):
    spec = ACTION_SPECS["wait"]
    ms: int = field(PAUSE, default=WAIT_MS)

    async def perform(self, page: Surface) -> None:
        await page.call("idle", self.ms)
