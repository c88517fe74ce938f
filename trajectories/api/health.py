"""What is up and what is down. Asked by people, load balancers and the lab's own page."""

from __future__ import annotations

import threading
import time
from typing import Any

import psycopg
from django.conf import settings
from django.db import connection

import gymsite
from core import redis_client
from trajectories import heartbeats

PROBE_TIMEOUT_S = 2
KEPT_S = 1.0
KEPT_DOWN_S = 0.1  # several processes answer: what is well again must not be down in half of the answers
OK = "ok"
DOWN = "down"
UNKNOWN = "unknown"
MISSING = "missing"
VERIFY_WORKER = "verify"
SWEEPER = "sweeper"
SANDBOX_WORKER = "sandbox"

_lock = threading.Lock()
_kept: tuple[float, dict[str, Any]] | None = None


def health_report() -> dict[str, Any]:
    """The API's record, at most a second old, so that a flood of questions costs one probe a second.

    ``status`` is ``ok`` or ``down``; ``down`` names what is. Workers are unknown while Redis is down, and a
    missing sandbox stops only what needs it.
    """
    global _kept
    with _lock:
        if _kept is None or _kept[0] < time.monotonic():
            report = _probe()
            kept_s = KEPT_S if report["status"] == OK else KEPT_DOWN_S
            _kept = (time.monotonic() + kept_s, report)
        return dict(_kept[1])


def forget_report() -> None:
    """Probe again at the next question (tests)."""
    global _kept
    _kept = None


def _probe() -> dict[str, Any]:
    parts = {"database": _database(), **_redis_and_workers()}
    down = sorted(name for name, state in parts.items() if state == DOWN)
    return {
        "status": DOWN if down else OK,
        "down": down,
        "version": gymsite.__version__,
        **parts,
        "arena_url": settings.ARENA_URL,
        "live_url": settings.LIVE_URL,
    }


def _database() -> str:
    """By a connection of its own: the pool would let this wait half a minute when Postgres is down."""
    parameters = {**connection.get_connection_params(), "connect_timeout": PROBE_TIMEOUT_S}
    try:
        with psycopg.connect(**parameters) as probe:
            probe.execute("SELECT 1")
    except psycopg.OperationalError:
        return DOWN
    return OK


def _redis_and_workers() -> dict[str, str]:
    try:
        alive = heartbeats.alive_names([VERIFY_WORKER, SWEEPER, SANDBOX_WORKER])
    except redis_client.Unreachable:
        return {"redis": DOWN, "workers": UNKNOWN, "sweeper": UNKNOWN, "sandbox": UNKNOWN}
    return {
        "redis": OK,
        "workers": OK if VERIFY_WORKER in alive else DOWN,
        "sweeper": OK if SWEEPER in alive else DOWN,
        "sandbox": OK if SANDBOX_WORKER in alive else MISSING,
    }
