"""Health of the installation, for people, load balancers and the lab's system page."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from django.conf import settings
from django.core.files.storage import FileSystemStorage, Storage, storages
from django.db import connection

import core
from core.storage import blobs, durable_files
from core.work import redis_client
from trajectories.record import heartbeats

PROBE_BYTES = 64 * 1024
PROBE = "probe"
PROBE_TIMEOUT_S = 2
CACHE_S = 1.0
CACHE_DOWN_S = 0.1  # A short time, because several processes answer and must agree soon after a recovery.
OK = "ok"
DOWN = "down"
DEGRADED = "degraded"
UNKNOWN = "unknown"
MISSING = "missing"
VERIFY_WORKER = "verify"
SWEEPER = "sweeper"
HOUSEKEEPER = "housekeeper"
SANDBOX_WORKER = "sandbox"
_WRITE = """
INSERT INTO trajectories_healthprobe (id, at) VALUES (1, now())
ON CONFLICT (id) DO UPDATE SET at = excluded.at"""
_lock = threading.Lock()
_cached: tuple[float, dict[str, Any]] | None = None


class Disk(NamedTuple):
    """Outcome of a disk probe. A bucket has no ``free_bytes`` and is writable if it responds."""

    is_writable: bool
    free_bytes: int | None


def disk_probe() -> Disk:
    """Try to write to the blobs folder, because a disk can refuse writes even when it is not full."""
    storage = storages[blobs.BLOBS]
    if not isinstance(storage, FileSystemStorage):
        return Disk(_answers(storage), None)
    folder = Path(storage.location)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(PROBE_BYTES))
            probe.flush()
        return Disk(True, shutil.disk_usage(folder).free)
    except OSError:
        return Disk(False, shutil.disk_usage(folder).free if folder.exists() else 0)


def _answers(storage: Storage) -> bool:
    try:
        durable_files.file_size(storage, PROBE)
    except OSError:
        return False
    return True


def health_report() -> dict[str, Any]:
    """Return the API's health record, which is at most a second old.

    A flood of requests therefore costs one probe a second. ``status`` is ``ok``, ``down`` (the field ``down``
    names the parts) or ``degraded`` if no housekeeper is running. While Redis is down, the state of the
    workers is unknown. Without a sandbox worker only submitted programs are affected.
    """
    global _cached
    with _lock:
        if _cached is None or _cached[0] < time.monotonic():
            report = _probe()
            cache_s = CACHE_S if report["status"] == OK else CACHE_DOWN_S
            _cached = (time.monotonic() + cache_s, report)
        return dict(_cached[1])


def forget_report() -> None:
    """Discard the cached report, so that the next request probes again (tests)."""
    global _cached
    _cached = None


def _probe() -> dict[str, Any]:
    disk = disk_probe()
    parts = {"database": _database(), "disk": OK if disk.is_writable else DOWN, **_redis_and_workers()}
    down, missing = (sorted(name for name, state in parts.items() if state == bad) for bad in (DOWN, MISSING))
    return {
        "status": DOWN if down else DEGRADED if HOUSEKEEPER in missing else OK,
        "down": down,
        "missing": missing,
        "version": core.__version__,
        **parts,
        "disk_free_bytes": disk.free_bytes,
        "arena_url": settings.ARENA_URL,
        "live_url": settings.LIVE_URL,
    }


def _database() -> str:
    """Return ``OK`` if a write succeeds.

    Opens its own connection, because the pool waits half a minute for a dead one.
    """
    parameters = {**connection.get_connection_params(), "connect_timeout": PROBE_TIMEOUT_S}
    try:
        with psycopg.connect(**parameters) as probe:
            probe.execute(f"SET statement_timeout = '{PROBE_TIMEOUT_S}s'")
            probe.execute(_WRITE)
    except psycopg.Error:  # Writes can also be refused by a full disk or a standby server.
        return DOWN
    return OK


def _redis_and_workers() -> dict[str, str]:
    try:
        alive = heartbeats.alive_names([VERIFY_WORKER, SWEEPER, HOUSEKEEPER, SANDBOX_WORKER])
    except redis_client.Unreachable:
        return {
            "redis": DOWN,
            "workers": UNKNOWN,
            "sweeper": UNKNOWN,
            "housekeeper": UNKNOWN,
            "sandbox": UNKNOWN,
        }
    return {
        "redis": OK,
        "workers": OK if VERIFY_WORKER in alive else DOWN,
        "sweeper": OK if SWEEPER in alive else DOWN,
        "housekeeper": OK if HOUSEKEEPER in alive else MISSING,
        "sandbox": OK if SANDBOX_WORKER in alive else MISSING,
    }
