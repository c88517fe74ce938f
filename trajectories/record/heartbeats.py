"""Liveness of episodes (through heartbeats from the harness) and of our own processes, kept in Redis.

It is a hint, not the source of truth: the reaper looks at steps and events as well.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from core.work import redis_client

logger = logging.getLogger(__name__)

BEATS_EXPIRE_S = 24 * 3600
ALIVE_S = 15
ALIVE_EVERY_S = 4.0
BEAT = "gym:beat:"
GONE = "gym:gone:"
ACTIVE = "gym:active:"
LOOKUPS = "gym:lookups:"
LOOKUPS_S = 60
ALIVE = "gym:alive:"

_BEAT_SCRIPT = Path(__file__).with_name("heartbeats.lua").read_text(encoding="utf-8")


class Beaten(NamedTuple):
    """Episodes in a heartbeat whose lease was not renewed.

    ``gone`` have ended or are hidden from the caller; ``unknown`` are unknown to Redis.
    """

    gone: list[int]
    unknown: list[int]


def beat(ids: Sequence[int], *, project: str, splits: Iterable[str] = ()) -> Beaten:
    """Renew the leases of the episodes that Redis knows as active episodes of the project.

    ``splits`` are the splits that the caller may see; if empty, it may see all. Raises ``GymError`` 503
    without Redis.
    """
    if not ids:
        return Beaten([], [])
    limits = sorted(splits)
    values: list[str | int] = [
        BEATS_EXPIRE_S + int(settings.LEASE_S),
        time.time_ns(),
        len(limits),
        *limits,
        *ids,
    ]
    names = (BEAT, GONE, _active(project))
    try:
        gone, unknown = redis_client.client().eval(_BEAT_SCRIPT, len(names), *names, *values)
    except redis_client.Unreachable:
        raise redis_client.redis_down() from None
    return Beaten([int(episode) for episode in gone], [int(episode) for episode in unknown])


def active_note(splits: Mapping[int, str], *, project: str) -> None:
    """Register a project's active episodes, with their tasks' splits, so that heartbeats find them.

    The registration lasts for one lease. Raises ``GymError`` 503 without Redis.
    """
    try:
        pipeline = redis_client.client().pipeline(transaction=False)
        for episode, split in splits.items():
            pipeline.set(f"{_active(project)}{episode}", split, ex=ceil(settings.LEASE_S))
        pipeline.execute()
    except redis_client.Unreachable:
        raise redis_client.redis_down() from None


def lookups_count(caller: int, count: int) -> int:
    """Add to the number of episodes looked up for a key, and return the total within ``LOOKUPS_S``.

    Raises ``GymError`` 503 without Redis.
    """
    try:
        pipeline = redis_client.client().pipeline()
        pipeline.set(f"{LOOKUPS}{caller}", 0, ex=LOOKUPS_S, nx=True)
        pipeline.incrby(f"{LOOKUPS}{caller}", count)
        return int(pipeline.execute()[1])
    except redis_client.Unreachable:
        raise redis_client.redis_down() from None


def last_beats(ids: Sequence[int]) -> dict[int, str]:
    """Return each episode's last heartbeat within 24 hours, as a text that differs for every heartbeat.

    Raises redis-py's own errors, because the reaper must not mistake an unreachable Redis for silent
    episodes.
    """
    if not ids:
        return {}
    values = redis_client.client().mget([f"{BEAT}{episode}" for episode in ids])
    return {episode: str(value) for episode, value in zip(ids, values, strict=True) if value is not None}


def mark_gone(ids: Iterable[int]) -> None:
    """Note that episodes have ended, so that heartbeats can report it. A failure is logged, never raised.

    The note lasts for two leases: a harness that sends no heartbeat within one has lost its episode anyway.
    """
    expiry_s = ceil(2 * settings.LEASE_S)
    try:
        pipeline = redis_client.client().pipeline(transaction=False)
        for episode in ids:
            pipeline.set(f"{GONE}{episode}", "1", ex=expiry_s)
            pipeline.delete(f"{BEAT}{episode}")
        pipeline.execute()
    except redis_client.Unreachable:
        logger.warning("ended episodes could not be marked in Redis; their heartbeats will be accepted")


def alive_mark(name: str) -> None:
    """Mark a kind of process (``verify``, ``sweeper``) as alive for ``ALIVE_S`` seconds."""
    try:
        redis_client.client().set(f"{ALIVE}{name}", "1", ex=ALIVE_S)
    except redis_client.Unreachable:
        logger.warning("Redis is unreachable: %s cannot be marked as alive", name)


def alive_keep(name: str) -> threading.Event:
    """Call ``alive_mark`` every few seconds in a background thread until the returned event is set."""
    stop = threading.Event()

    def mark_until_stopped() -> None:
        alive_mark(name)
        while not stop.wait(ALIVE_EVERY_S):
            alive_mark(name)

    threading.Thread(target=mark_until_stopped, name=f"alive-{name}", daemon=True).start()
    return stop


def alive_names(names: Sequence[str]) -> set[str]:
    """Return those of the named kinds of process that are alive. Raises redis-py's own errors."""
    values = redis_client.client().mget([f"{ALIVE}{name}" for name in names])
    return {name for name, value in zip(names, values, strict=True) if value is not None}


def _active(project: str) -> str:
    return f"{ACTIVE}{project}:"
