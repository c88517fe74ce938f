"""Caches of worlds that keep a process below about 200 MB however many episodes it serves.

Each cache has a share of memory and holds as many entries as fit. The size of one entry was measured over 60
worlds with ``tracemalloc``. What is computed from a world must be dropped with the world, whereas a cache
keyed by worlds would keep them alive. A world that is no longer cached is drawn again (booking site 9 ms,
shop 0.3 ms).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import lru_cache, wraps
from threading import Lock
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

P = ParamSpec("P")
R = TypeVar("R")
W = TypeVar("W")

KIB_PER_MB = 1024


def cache_size(*, megabytes: int, kib: int) -> int:
    """Return how many entries of the given size fit into a share of memory."""
    return megabytes * KIB_PER_MB // kib


def world_opener(
    draw: Callable[..., W], change: Callable[[W, Any], W], *, most_changed: int
) -> Callable[..., W]:
    """Make a site's ``open_world``, which opens the world of a key with its changes applied.

    ``draw`` takes ``key, edition, first_day`` and caches worlds itself. Up to ``most_changed`` changed worlds
    are cached.
    """

    @lru_cache(maxsize=most_changed)
    def changed(key: bytes, edition: str, first_day: date, changes: str) -> W:
        return change(draw(key, edition=edition, first_day=first_day), json.loads(changes))

    def open_world(
        key: bytes, *, edition: str, first_day: date, changes: Sequence[Mapping[str, Any]] = ()
    ) -> W:
        if not changes:
            return draw(key, edition=edition, first_day=first_day)
        return changed(key, edition, first_day, json.dumps(list(changes), sort_keys=True))

    return open_world


def cached_by_world(
    *, most: int
) -> Callable[[Callable[Concatenate[W, P], R]], Callable[Concatenate[W, P], R]]:
    """Cache a function of a world and other arguments, keeping the last ``most`` results for each world.

    A result must not refer to the world, or the world would never be dropped.
    """

    def decorate(function: Callable[Concatenate[W, P], R]) -> Callable[Concatenate[W, P], R]:
        by_world: WeakKeyDictionary[W, dict[Any, R]] = WeakKeyDictionary()
        lock = Lock()

        @wraps(function)
        def cached(world: W, /, *args: P.args, **kwargs: P.kwargs) -> R:
            key = (args, tuple(kwargs.items()))
            with lock:
                known = by_world.setdefault(world, {})
                if key in known:
                    return known[key]
            fresh = function(world, *args, **kwargs)
            with lock:
                known[key] = fresh
                if len(known) > most:
                    del known[next(iter(known))]
            return fresh

        return cached

    return decorate
