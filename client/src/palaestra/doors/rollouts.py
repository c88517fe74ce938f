"""What the rollouts of one door share: browser pages, and the group of each task."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import AsyncIterator, Hashable, Sequence
from contextlib import asynccontextmanager
from itertools import takewhile
from typing import Any

from palaestra.api import Client
from palaestra.engine import DEFAULT_PAGES
from palaestra.env import Env
from palaestra.errors import PalaestraError
from palaestra.groups import Group
from palaestra.observation import Observation
from palaestra.pools import pool_of
from palaestra.records import Message
from palaestra.remote import RemoteEnv
from palaestra.surface import VIEWPORT, Pool

KEY, STAGE_TOKEN = "PALAESTRA_KEY", "PALAESTRA_STAGE_TOKEN"
AnyEnv = Env | RemoteEnv
Addresses = str | Sequence[str]


def key_read() -> str:
    """The key, from the environment: a framework's settings are printed and stored."""
    key = os.environ.get(KEY)
    if not key:
        raise PalaestraError(f"Put a key of scope trainer into {KEY}.")
    return key


def token_read() -> str:
    """The token of the stages, likewise."""
    token = os.environ.get(STAGE_TOKEN)
    if not token:
        raise PalaestraError(f"Put the token of the stages into {STAGE_TOKEN}.")
    return token


def stages_add(parser: ArgumentParser) -> None:
    """The option of a door's server that plays on stages."""
    words = "address of a stage that has the pages (repeatable)"
    parser.add_argument("--stage", dest="stages", action="append", default=[], metavar="URL", help=words)


def env_make(server: str, key: str, *, stages: Addresses = (), **settings: Any) -> AnyEnv:
    """An environment on pages of this machine, or of the ``stages`` whose addresses are given."""
    return RemoteEnv(stages, token_read(), **settings) if stages else Env(server, key, **settings)


def messages_new(messages: Sequence[Message]) -> list[Message]:
    """The messages after the model's last words."""
    return list(takewhile(lambda message: message["role"] != "assistant", reversed(messages)))[::-1]


def messages_textual(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages themselves. Raises ``PalaestraError`` where one has a picture."""
    if any(not isinstance(message["content"], str) for message in messages):
        raise PalaestraError("This door has no pictures: use an observation of text.")
    return messages


def history_check(settings: dict[str, Any]) -> None:
    """Raises ``PalaestraError`` for a history that a framework which only adds to a conversation lacks."""
    if settings.get("history", "full") != "full":
        raise PalaestraError("This door only adds to a conversation: the history is full.")


class Rollouts:
    """Environments for a framework that asks for one rollout at a time.

    The first rollout of a task and round opens a group and the later ones join it, so that they are compared
    with each other. ``pages`` is how many pages work at once; a browser runs for as long as some
    environment is open. With ``stages`` it is theirs, and they say how many pages they have. Other keywords
    are those of ``Env``.
    """

    def __init__(
        self,
        server: str,
        key: str,
        *,
        run: int,
        pages: int = DEFAULT_PAGES,
        stages: Addresses = (),
        **settings: Any,
    ) -> None:
        self._server, self._key, self._run, self._pages = server, key, run, pages
        self._stages = stages
        self._settings = settings
        self._groups: dict[Hashable, Group] = {}
        self._open = 0
        self._client: Client | None = None
        self._pool: Pool | None = None

    @asynccontextmanager
    async def env(self) -> AsyncIterator[AnyEnv]:
        """An environment; at its exit an episode that is still open ends ``cancelled``."""
        if not self._open:
            # A group that never began has a lock of the event loop that waited for it.
            self._groups = {name: group for name, group in self._groups.items() if group.number}
        if self._pool is None and not self._stages:
            self._client = Client(self._server, self._key)
            self._pool = self._pool_make(self._client)
        pages = {"stages": self._stages} if self._stages else {"pool": self._pool}
        self._open += 1
        try:
            async with env_make(self._server, self._key, run=self._run, **pages, **self._settings) as env:
                yield env
        finally:
            self._open -= 1
            if not self._open:
                await self._aclose()

    async def reset(
        self, env: AnyEnv, task: int, *, seed: int | None = None, round_: Hashable = None
    ) -> Observation:
        """Open an episode in the group of its task and round."""
        return await self._groups.setdefault((task, round_), Group()).reset(env, task, seed=seed)

    def _pool_make(self, client: Client) -> Pool:
        browser = self._settings.get("browser", "chromium")
        viewport = self._settings.get("viewport", VIEWPORT)
        return pool_of(browser, origin=client, size=self._pages, viewport=viewport)

    async def _aclose(self) -> None:
        client, pool, self._client, self._pool = self._client, self._pool, None, None
        if pool is not None:
            await pool.aclose()
        if client is not None:
            await client.aclose()
