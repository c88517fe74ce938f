"""The one Redis subscription of a process."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from redis import asyncio as redis_asyncio
from redis.exceptions import RedisError

from trajectories.live.events import OPENING_CHANNEL, VERDICT_CHANNEL, Announced, announcement_decode

logger = logging.getLogger(__name__)

CONNECT_S = 2.0
# A connection that is silent for this long is checked.
SILENCE_S = 5.0


class Announcements:
    """Relays every announcement; calls ``on_connect`` after each (re)connection, as some may be lost."""

    def __init__(
        self, redis_url: str, *, on_news: Callable[[Announced], None], on_connect: Callable[[], None]
    ) -> None:
        self._redis_url = redis_url
        self._on_news = on_news
        self._on_connect = on_connect
        self.is_connected = False

    async def listen(self) -> None:
        """Relay until the connection is lost; the caller calls again."""
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
            logger.warning("Redis is unreachable; polling Postgres meanwhile: %s", error)
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
