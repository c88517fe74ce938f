"""Counts of login attempts in Redis, per name and address, and per address over all names.

Names are normalised as the login form does it, so that another spelling does not start a new count. An
attempt is counted before its password is checked, so that parallel attempts cannot get around the limit; a
successful login takes it back. While Redis is unreachable, nothing is counted and nobody is locked out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from django.contrib.auth.forms import UsernameField
from django.http import HttpRequest

from core.web.networks import reduce_to_network
from core.work import redis_client

NAME_ATTEMPTS_MAX = 10
ADDRESS_ATTEMPTS_MAX = 100
LOCKED_S = 300
PREFIX = "gym:login:"


def attempt_count(request: HttpRequest) -> bool:
    """Count a login attempt; return False if the address, or this name from it, has used up its attempts."""
    limits = dict(_limits(request))
    try:
        pipeline = redis_client.client().pipeline()
        for key in limits:
            pipeline.set(key, 0, ex=LOCKED_S, nx=True)
            pipeline.incr(key)
        counts = pipeline.execute()[1::2]
    except redis_client.Unreachable:
        return True
    return all(count <= limit for count, limit in zip(counts, limits.values(), strict=True))


def success_note(request: HttpRequest) -> None:
    """Take back a successful attempt, and clear the failed ones for that name from that address."""
    (name, _), (address, _) = _limits(request)
    try:
        pipeline = redis_client.client().pipeline()
        pipeline.delete(name)
        pipeline.decr(address)
        pipeline.execute()
    except redis_client.Unreachable:
        return


def name_clean(text: str) -> str:
    """Normalise a name as the login form does: strip surrounding spaces and apply NFKC."""
    return UsernameField().to_python(text) or ""


def _limits(request: HttpRequest) -> Iterator[tuple[str, int]]:
    """Yield the Redis keys under which an attempt is counted, each with its limit."""
    network = reduce_to_network(request.META.get("REMOTE_ADDR", ""))
    yield _key(name_clean(request.POST.get("username", "")).casefold(), network), NAME_ATTEMPTS_MAX
    yield _key(network), ADDRESS_ATTEMPTS_MAX


def _key(*parts: str) -> str:
    digest = hashlib.sha256("\n".join(parts).encode("utf-8", "replace"))
    return f"{PREFIX}{digest.hexdigest()}"
