"""Keeps the leases of open episodes alive, so that a model may think for longer than a lease lasts."""

from __future__ import annotations

import asyncio

from palaestra.api import Client
from palaestra.background import Background
from palaestra.errors import ApiError, Unreachable

HEARTBEAT_S = 60.0
EPISODES_PER_CALL = 5_000


class Heartbeat(Background):
    """Renews the leases of ``episodes`` once a minute, for as long as it is entered."""

    def __init__(self, client: Client) -> None:
        self.episodes: set[int] = set()
        self._client = client

    async def _work(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            episodes = sorted(self.episodes)
            for first in range(0, len(episodes), EPISODES_PER_CALL):
                try:
                    await self._client.heartbeat(episodes[first : first + EPISODES_PER_CALL])
                except (ApiError, Unreachable):
                    # The next beat makes up for a missed one, long before a lease of 300 s ends.
                    break
