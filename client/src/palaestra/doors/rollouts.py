"""Resources that a door's rollouts share: browser pages, and each task's group."""

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
from palaestra.observation import Observation
from palaestra.pages.surface import VIEWPORT, Pool
from palaestra.play.pools import pool_make
from palaestra.records import Message
from palaestra.remote import RemoteEnv
from palaestra.rollouts import Group

KEY, STAGE_TOKEN = "PALAESTRA_KEY", "PALAESTRA_STAGE_TOKEN"
AnyEnv = Env | RemoteEnv
Addresses = str | Sequence[str]


def key_read() -> str:
    """Return the key from the environment. Raises ``PalaestraError`` if it is not set.

    The key is not a setting, because frameworks print and store their settings.
    """
    return _read_setting(KEY, "a key of scope trainer")


def token_read() -> str:
    """Return the stages' token from the environment. Raises ``PalaestraError`` if it is not set."""
    return _read_setting(STAGE_TOKEN, "the token of the stages")


def _read_setting(name: str, meaning: str) -> str:
    if not (value := os.environ.get(name)):
        raise PalaestraError(f"Put {meaning} into {name}.")
    return value


def stages_add(parser: ArgumentParser) -> None:
    """Add the option with which a door's server plays on stages."""
    words = "address of a stage that has the pages (repeatable)"
    parser.add_argument("--stage", dest="stages", action="append", default=[], metavar="URL", help=words)


def env_make(server: str, key: str, *, stages: Addresses = (), **settings: Any) -> AnyEnv:
    """Return an environment that uses pages on this machine, or on the ``stages`` at these addresses.

    Raises ``PalaestraError`` if ``stages`` are given but their token is not set.
    """
    return RemoteEnv(stages, token_read(), **settings) if stages else Env(server, key, **settings)


def messages_new(messages: Sequence[Message]) -> list[Message]:
    """Return the messages after the model's last one."""
    return list(takewhile(lambda message: message["role"] != "assistant", reversed(messages)))[::-1]


def messages_textual(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the messages unchanged. Raises ``PalaestraError`` if one contains a picture."""
    if any(not isinstance(message["content"], str) for message in messages):
        raise PalaestraError("This door does not support pictures: use a text observation.")
    return messages


def history_check(settings: dict[str, Any]) -> None:
    """Raise ``PalaestraError`` unless the history is full, since the framework can only append to it."""
    if settings.get("history", "full") != "full":
        raise PalaestraError("This door can only append to a conversation, so the history must be full.")


class Rollouts:
    """Environments for a framework that requests one rollout at a time.

    The first rollout of a task and round opens a group, and later rollouts join it. At most ``pages`` pages
    work at the same time; a browser runs while any environment is open. With ``stages``, the pages are on the
    stages, which set the limit. Other keywords are those of ``Env``.
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
        """Yield an environment; an episode that is still open on exit is closed as ``cancelled``."""
        if not self._open:
            # A group that never began holds a lock that belongs to its waiters' event loop, so it is dropped.
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
        return pool_make(browser, origin=client, size=self._pages, viewport=viewport)

    async def _aclose(self) -> None:
        client, pool, self._client, self._pool = self._client, self._pool, None, None
        if pool is not None:
            await pool.aclose()
        if client is not None:
            await client.aclose()
