"""Announcements of committed changes, sent through Redis.

They contain only ids, because Postgres has the rest.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic
from typing import Any

import msgspec
from django.db import transaction
from redis import asyncio as redis_asyncio
from redis.exceptions import RedisError

from core.work import redis_client
from trajectories.record import heartbeats

VERDICT_CHANNEL = "gym:verdicts"
OPENING_CHANNEL = "gym:openings"
_encoder = msgspec.json.Encoder()
logger = logging.getLogger(__name__)
CONNECT_S = 2.0
# After this much silence, the connection is checked.
SILENCE_S = 5.0
# Opening episodes does not need Redis. When Redis hangs, one call is delayed and the calls of the next
# seconds skip it.
PAUSE_S = 10.0


class EpisodesOpened(msgspec.Struct, frozen=True, kw_only=True):
    """Announcement that a run has new episodes, for pages that count them.

    If it is lost, these pages are only updated later.
    """

    run: int


class VerdictsWritten(msgspec.Struct, frozen=True, kw_only=True):
    """Announcement that episodes of one run received their verdicts. Losing or repeating one does no harm."""

    run: int
    episodes: list[int]


Announced = VerdictsWritten | EpisodesOpened

_decoders: dict[str, msgspec.json.Decoder[Announced]] = {
    VERDICT_CHANNEL: msgspec.json.Decoder(VerdictsWritten),
    OPENING_CHANNEL: msgspec.json.Decoder(EpisodesOpened),
}


def announcement_encode(*, run_id: int, episode_ids: list[int]) -> bytes:
    """Return the message for ``VERDICT_CHANNEL``: ``{"run": id, "episodes": [ids]}``."""
    return _encoder.encode(VerdictsWritten(run=run_id, episodes=episode_ids))


def opening_encode(*, run_id: int) -> bytes:
    """Return the message for ``OPENING_CHANNEL``: ``{"run": id}``."""
    return _encoder.encode(EpisodesOpened(run=run_id))


def announcement_decode(message: bytes, *, channel: str) -> Announced | None:
    """Return the announcement, or None if the message is malformed."""
    try:
        return _decoders[channel].decode(message)
    except msgspec.DecodeError:
        return None


class Announcements:
    """Relay of every announcement.

    It calls ``on_connect`` after each (re)connection, because announcements may have been lost before.
    """

    def __init__(
        self, redis_url: str, *, on_news: Callable[[Announced], None], on_connect: Callable[[], None]
    ) -> None:
        self._redis_url = redis_url
        self._on_news = on_news
        self._on_connect = on_connect
        self.is_connected = False

    async def listen(self) -> None:
        """Relay announcements until the connection is lost. The caller then calls again."""
        client: Any = redis_asyncio.Redis.from_url(
            self._redis_url,
            socket_connect_timeout=CONNECT_S,
            socket_timeout=CONNECT_S,
            health_check_interval=SILENCE_S,
        )
        try:
            async with client, client.pubsub(ignore_subscribe_messages=True) as subscription:
                await subscription.subscribe(VERDICT_CHANNEL, OPENING_CHANNEL)
                self.is_connected = True
                logger.info("Listening to Redis")
                self._on_connect()
                await self._relay(subscription)
        except (RedisError, OSError, TimeoutError) as error:
            logger.warning("Redis is unreachable; polling Postgres in the meantime: %s", error)
        finally:
            self.is_connected = False

    async def _relay(self, subscription: Any) -> None:
        while True:
            message = await subscription.get_message(timeout=SILENCE_S)
            if message is None:
                continue
            news = announcement_decode(message["data"], channel=message["channel"].decode())
            if news is not None:
                self._on_news(news)


class _Pause:
    until = 0.0


def episodes_opened(*, run_id: int) -> None:
    """Wake the pages that count the run's episodes, once per call that opens episodes."""
    transaction.on_commit(partial(_announce_opened, run_id=run_id))


def episodes_ended(*, run_id: int, ids: Sequence[int]) -> None:
    """Wake callers that wait for these verdicts, and let heartbeats of these episodes answer ``gone``."""
    if ids:
        transaction.on_commit(partial(_announce_ended, run_id=run_id, ids=list(ids)))


def _announce_opened(*, run_id: int) -> None:
    if monotonic() < _Pause.until:
        return
    try:
        redis_client.client().publish(OPENING_CHANNEL, opening_encode(run_id=run_id))
    except redis_client.Unreachable:
        _Pause.until = monotonic() + PAUSE_S
        logger.warning("new episodes of run %s could not be announced", run_id)


def _announce_ended(*, run_id: int, ids: list[int]) -> None:
    try:
        redis_client.client().publish(VERDICT_CHANNEL, announcement_encode(run_id=run_id, episode_ids=ids))
    except redis_client.Unreachable:
        logger.warning("verdicts of run %s could not be announced; waiters find them by polling", run_id)
    heartbeats.mark_gone(ids)
