"""The health of a stage's dependencies: a lab that answers, and a browser that opens pages.

Both are probed in the background, so a request for the stage's health does not have to call them.
"""

from __future__ import annotations

import asyncio
import logging

from palaestra.api import Client
from palaestra.api.background import Background
from palaestra.errors import ApiError, Unreachable
from palaestra.pages.surface import SERVER_FAILED

logger = logging.getLogger(__name__)

FAILURES_MAX = 3
LOOK_S = 5.0
ANSWER_LIMIT_S = 5.0


class Condition:
    """A dependency that counts as lost after ``FAILURES_MAX`` failures in a row; then ``loss`` is logged."""

    def __init__(self, loss: str) -> None:
        self._loss = loss
        self._failures = 0

    @property
    def works(self) -> bool:
        return self._failures < FAILURES_MAX

    def note(self, failure: Exception | None) -> None:
        """Count one attempt, which succeeded if ``failure`` is None."""
        if failure is None:
            self._failures = 0
            return
        self._failures += 1
        if self._failures == FAILURES_MAX:
            logger.warning("%s: %s", self._loss, failure or type(failure).__name__)


class LabWatch(Background):
    """Pings the lab every few seconds without retries; a status of 500 or more also counts as a failure."""

    def __init__(self, client: Client) -> None:
        self.lab = Condition("The lab does not answer")
        self._client = client

    async def look(self) -> None:
        """Ping the lab once."""
        try:
            await asyncio.wait_for(self._client.ping(), ANSWER_LIMIT_S)
        except (Unreachable, asyncio.TimeoutError) as failure:
            self.lab.note(failure)
        except ApiError as refusal:
            self.lab.note(refusal if refusal.status >= SERVER_FAILED else None)
        else:
            self.lab.note(None)

    async def _work(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            await self.look()
