"""Counts of login attempts in Redis, per name and address, and per address over all names.

A name counts as the form reads it, so that another spelling is no fresh start. An attempt counts before its
password is checked, so that parallel attempts do not get around the limit; a login takes it back. Without
Redis nothing is counted and nobody is locked out.
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
    """Count an attempt; return False if the name from this address, or the address, has none left."""
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
    """Uncount the attempt, and the failures of that name from that address."""
    (name, _), (address, _) = _limits(request)
    try:
        pipeline = redis_client.client().pipeline()
        pipeline.delete(name)
        pipeline.decr(address)
        pipeline.execute()
    except redis_client.Unreachable:
        return


def name_clean(text: str) -> str:
    """Normalise the name as the login form does: without surrounding blanks, NFKC."""
    return UsernameField().to_python(text) or ""


def _limits(request: HttpRequest) -> Iterator[tuple[str, int]]:
    """Return the keys under which an attempt counts, each with its limit."""
    network = reduce_to_network(request.META.get("REMOTE_ADDR", ""))
    yield _key(name_clean(request.POST.get("username", "")).casefold(), network), NAME_ATTEMPTS_MAX
    yield _key(network), ADDRESS_ATTEMPTS_MAX


def _key(*parts: str) -> str:
    digest = hashlib.sha256("\n".join(parts).encode("utf-8", "replace"))
    return f"{PREFIX}{digest.hexdigest()}"
