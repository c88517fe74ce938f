"""What is up on this installation, put into words for the person who has to act on it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from core import browsers, redis_client
from trajectories import heartbeats
from trajectories.api.capacity import capacity_report
from trajectories.api.health import DOWN, MISSING, OK, UNKNOWN, health_report
from trajectories.fidelity.jobs import ALIVE as REPLAYS

DISK_LOW_BYTES = 2 * 1024**3

ADVICE = {
    "database": "Postgres does not answer: nothing can be recorded. See postgres.log under VAR_DIR/logs.",
    "redis": "Redis does not answer: verdicts come late, heartbeats are refused. Nothing recorded is lost.",
    "workers": "No worker of the queue verify is at work: submissions wait until one is.",
    "sweeper": "The sweeper is not at work: nothing is sent again and lost leases are not reaped.",
    "sandbox": "No worker has a sandbox: submitted programs cannot run (see the log of worker-sandbox).",
    "replays": "No worker draws replays: none is held against its screenshot (see the log of worker-media).",
    "browser": "No Chromium here. Agents bring their own; make demo needs one (apt-get install chromium).",
    "disk": "Little room is left under VAR_DIR: screenshots and steps will soon be refused.",
}
TITLES = {
    "database": "Postgres",
    "redis": "Redis",
    "workers": "Verdict workers",
    "sweeper": "Sweeper",
    "sandbox": "Sandbox",
    "replays": "Replay check",
    "browser": "Browser",
    "disk": "Disk",
}


@dataclass(frozen=True, kw_only=True)
class Part:
    """One thing the installation is made of; ``advice`` is empty when all is well."""

    title: str
    state: str
    advice: str
    note: str = ""


def system_report() -> dict[str, Any]:
    """Parts with their state, and the capacity record (None while the database is down)."""
    health = health_report()
    free = shutil.disk_usage(_existing(Path(settings.VAR_DIR))).free
    states: dict[str, str] = {
        **{name: health[name] for name in ("database", "redis", "workers", "sweeper", "sandbox")},
        "replays": _replays(redis=health["redis"]),
        "browser": OK if browsers.browser_find() else MISSING,
        "disk": OK if free > DISK_LOW_BYTES else DOWN,
    }
    return {
        "health": health,
        "parts": [_part(name, state, free=free) for name, state in states.items()],
        "capacity": capacity_report() if health["database"] == OK else None,
    }


def _replays(*, redis: str) -> str:
    if redis != OK:
        return UNKNOWN
    try:
        return OK if heartbeats.alive_names([REPLAYS]) else MISSING
    except redis_client.Unreachable:
        return UNKNOWN


def _part(name: str, state: str, *, free: int) -> Part:
    return Part(
        title=TITLES[name],
        state=state,
        advice="" if state == OK else ADVICE[name],
        note=f"{free / 1024**3:.1f} GiB free" if name == "disk" else "",
    )


def _existing(folder: Path) -> Path:
    return folder if folder.exists() else _existing(folder.parent)
