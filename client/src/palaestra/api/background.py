"""Background tasks while episodes run: heartbeats, and the wait for verdicts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Any, TypeVar

from palaestra.api.client import Client
from palaestra.errors import ApiError, Unreachable
from palaestra.records import Verdict

HEARTBEAT_S = 60.0
EPISODES_PER_CALL = 5_000
VERDICT_LIMIT_S = 90.0
PAUSE_S = 1.0
# Verdicts that arrive within this time are fetched together, since no rollout waits for a particular one.
GATHER_S = 0.2
B = TypeVar("B", bound="Background")


async def tasks_cancel(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Cancel tasks that are still running, and wait until all have ended."""
    tasks = list(tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class Background:
    """A background task that lives as long as its context manager."""

    async def __aenter__(self: B) -> B:
        self._task = asyncio.ensure_future(self._work())
        return self

    async def __aexit__(self, *_: object) -> None:
        await tasks_cancel([self._task])

    async def _work(self) -> None:
        """Work until cancelled."""
        raise NotImplementedError


class Heartbeat(Background):
    """Renews the leases of ``episodes`` once a minute, since a model may think for longer than a lease."""

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
                    # The next heartbeat makes up for a missed one, long before a lease of 300 s ends.
                    break


async def verdict_wait(client: Client, episode: int, *, limit_s: float = VERDICT_LIMIT_S) -> Verdict | None:
    """Return the episode's verdict, or None if there is none within ``limit_s`` seconds."""
    deadline = time.monotonic() + limit_s
    while (left := deadline - time.monotonic()) > 0:
        started = time.monotonic()
        state = await client.wait_episode(episode, timeout_s=max(1, min(20, int(left))))
        if state.verdict is not None:
            return state.verdict
        await asyncio.sleep(max(0.0, PAUSE_S - (time.monotonic() - started)))
    return (await client.episode(episode)).verdict


class VerdictStream(Background):
    """Receives all verdicts of a run over a single long poll instead of one poll per episode."""

    def __init__(self, client: Client, run: int) -> None:
        self._client = client
        self._run = run
        self._verdicts: dict[int, Verdict] = {}
        self._pending: dict[int, asyncio.Future[Verdict]] = {}

    async def wait(self, episode: int, *, limit_s: float = VERDICT_LIMIT_S) -> Verdict | None:
        """Return the episode's verdict, or None if there is none within ``limit_s`` seconds."""
        if episode in self._verdicts:
            return self._verdicts[episode]
        pending = self._pending.setdefault(episode, asyncio.get_running_loop().create_future())
        try:
            return await asyncio.wait_for(asyncio.shield(pending), limit_s)
        except asyncio.TimeoutError:
            return (await self._client.episode(episode)).verdict

    async def _work(self) -> None:
        cursor: str | int | None = None
        while True:
            try:
                page = await self._client.wait_verdicts(self._run, after=cursor)
            except (ApiError, Unreachable):
                # The stream continues from its cursor, and a wait that times out reads its episode itself.
                await asyncio.sleep(PAUSE_S)
                continue
            cursor = page.next if page.next is not None else cursor
            for streamed in page.results:
                self._verdicts[streamed.episode] = streamed.verdict
                pending = self._pending.pop(streamed.episode, None)
                if pending is not None and not pending.done():
                    pending.set_result(streamed.verdict)
            await asyncio.sleep(GATHER_S)
