"""Verdicts as they are given, and the heartbeat of what is under way: neither holds up a rollout."""

from __future__ import annotations

import asyncio
import time

from palaestra.api import Client
from palaestra.errors import ApiError, Unreachable
from palaestra.records import Verdict

VERDICT_LIMIT_S = 90.0
HEARTBEAT_S = 60.0
HEARTBEAT_EPISODES = 5_000
PAUSE_S = 1.0
# Verdicts that come within this time are fetched together: a rollout has long gone on to its next episode.
GATHER_S = 0.2


async def verdict_wait(client: Client, episode: int, *, limit_s: float = VERDICT_LIMIT_S) -> Verdict | None:
    """The episode's verdict, or None when there is none within ``limit_s`` seconds."""
    deadline = time.monotonic() + limit_s
    while (left := deadline - time.monotonic()) > 0:
        started = time.monotonic()
        state = await client.wait_episode(episode, timeout_s=max(1, min(20, int(left))))
        if state.verdict is not None:
            return state.verdict
        await asyncio.sleep(max(0.0, PAUSE_S - (time.monotonic() - started)))
    return (await client.episode(episode)).verdict


class VerdictStream:
    """All verdicts of one run by one open wait, handed to whoever asks for one episode's."""

    def __init__(self, client: Client, run: int) -> None:
        self._client = client
        self._run = run
        self._given: dict[int, Verdict] = {}
        self._asked: dict[int, asyncio.Future[Verdict]] = {}
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> VerdictStream:
        self._task = asyncio.ensure_future(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def verdict(self, episode: int, *, limit_s: float = VERDICT_LIMIT_S) -> Verdict | None:
        """The episode's verdict, or None when there is none within ``limit_s`` seconds."""
        if episode in self._given:
            return self._given[episode]
        asked = self._asked.setdefault(episode, asyncio.get_running_loop().create_future())
        try:
            return await asyncio.wait_for(asyncio.shield(asked), limit_s)
        except asyncio.TimeoutError:
            return (await self._client.episode(episode)).verdict

    async def _read(self) -> None:
        cursor: str | int | None = None
        while True:
            try:
                page = await self._client.wait_verdicts(self._run, after=cursor)
            except (ApiError, Unreachable):
                # The stream goes on from its cursor; who waits too long asks for the episode itself.
                await asyncio.sleep(PAUSE_S)
                continue
            cursor = page.next if page.next is not None else cursor
            for told in page.results:
                self._give(told.episode, told.verdict)
            await asyncio.sleep(GATHER_S)

    def _give(self, episode: int, verdict: Verdict) -> None:
        self._given[episode] = verdict
        asked = self._asked.pop(episode, None)
        if asked is not None and not asked.done():
            asked.set_result(verdict)


class Heart:
    """Keeps the leases of the episodes in ``beating`` while a model thinks for longer than a lease."""

    def __init__(self, client: Client) -> None:
        self.beating: set[int] = set()
        self._client = client
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Heart:
        self._task = asyncio.ensure_future(self._beat())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            alive = sorted(self.beating)
            for first in range(0, len(alive), HEARTBEAT_EPISODES):
                try:
                    await self._client.heartbeat(alive[first : first + HEARTBEAT_EPISODES])
                except (ApiError, Unreachable):
                    # A missed beat is made good by the next one, long before a lease of 300 s ends.
                    break
