"""One Redis connection pool per process. Waits are short, since nothing in Redis is irreplaceable."""

from __future__ import annotations

from functools import cache

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from core.errors import GymError

TIMEOUT_S = 1.0
RETRY_AFTER_S = 1

Unreachable = (redis.ConnectionError, redis.TimeoutError, redis.ResponseError)


@cache
def client() -> redis.Redis:
    """Return the shared client. Raises ``GymError`` 503 ``no_redis`` in the arena, which has no Redis."""
    if not settings.REDIS_URL:
        raise GymError("no_redis", "This process has no Redis: set REDIS_URL.", status=503)
    return redis.Redis.from_url(
        settings.REDIS_URL,
        decode_responses=True,
        socket_timeout=TIMEOUT_S,
        socket_connect_timeout=TIMEOUT_S,
        # redis-py would wait seconds between retries; a single immediate retry replaces a stale connection.
        retry=Retry(NoBackoff(), 1),
    )


def redis_down() -> GymError:
    """Build the 503 error for when Redis does not answer."""
    return GymError(
        "redis_down", "Redis does not answer; try again.", status=503, retry_after_s=RETRY_AFTER_S
    )
