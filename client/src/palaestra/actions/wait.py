"""Wait for a moment."""

from __future__ import annotations

from typing import Any

from palaestra.actions.base import Action
from palaestra.actions.fields import Reader, as_number, field
from palaestra.surface import Surface

DEFAULT_MS = 500
WAIT_MAX_MS = 2_000


def as_pause(value: Any, name: str) -> int:
    """Milliseconds, brought between 0 and ``WAIT_MAX_MS``."""
    return min(max(as_number(10**9)(value, name), 0), WAIT_MAX_MS)


PAUSE = Reader(read=as_pause, schema={"type": "integer", "minimum": 0, "maximum": WAIT_MAX_MS})


class Wait(Action):
    type = "wait"
    description = "Wait for a moment."
    ms: int = field(PAUSE, f"Milliseconds, at most {WAIT_MAX_MS}.", default=DEFAULT_MS, example=DEFAULT_MS)

    async def perform(self, page: Surface) -> None:
        await page.call("idle", self.ms)
