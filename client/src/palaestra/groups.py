"""Groups of episodes that are opened one by one."""

from __future__ import annotations

import asyncio

from palaestra.env import Env
from palaestra.observation import Observation
from palaestra.remote import RemoteEnv


class Group:
    """The episodes of one task: the first to begin opens the group, and the others join it."""

    def __init__(self) -> None:
        self.number: int | None = None
        self._first = asyncio.Lock()

    async def reset(self, env: Env | RemoteEnv, task: int, *, seed: int | None = None) -> Observation:
        """Begin another episode; ``seed`` is for the first one."""
        if self.number is not None:
            return await env.reset(task, group=self.number)
        async with self._first:
            observation = await env.reset(task, seed=seed, group=self.number)
            if env.episode is not None:
                self.number = env.episode.opened.group
            return observation
