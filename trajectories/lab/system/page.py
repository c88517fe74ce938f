"""State of this installation, with advice for its operator."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpResponse

from core.text.toml import toml_load
from core.web import browsers
from core.work import redis_client
from trajectories.behaviour.fidelity.jobs import ALIVE as REPLAYS
from trajectories.record import heartbeats
from trajectories.record.api.capacity import capacity_report
from trajectories.record.api.health import DOWN, MISSING, OK, UNKNOWN, health_report
from trajectories.shell.access import LabRequest, lab_page, page_render

DISK_LOW_BYTES = 2 * 1024**3

PROCESSES = ("database", "redis", "workers", "sweeper", "housekeeper", "sandbox")
PARTS = toml_load(Path(__file__).with_name("parts.toml"), dict[str, Any])


@dataclass(frozen=True, kw_only=True)
class Part:
    """The state of one part of the installation; ``advice`` is empty if all is well."""

    title: str
    state: str
    advice: str
    note: str = ""


class SystemPage:
    """The state of the installation's parts, and the capacity report (None while the database is down)."""

    def __init__(self) -> None:
        self.health = health_report()
        self.capacity = capacity_report() if self.health["database"] == OK else None
        free = shutil.disk_usage(_existing(Path(settings.VAR_DIR))).free
        states: dict[str, str] = {
            **{name: self.health[name] for name in PROCESSES},
            "replays": _replay_check_state(redis=self.health["redis"]),
            "browser": OK if browsers.browser_find() else MISSING,
            "disk": OK if free > DISK_LOW_BYTES else DOWN,
        }
        self.parts = [_part(name, state, free=free) for name, state in states.items()]


def _replay_check_state(*, redis: str) -> str:
    if redis != OK:
        return UNKNOWN
    try:
        return OK if heartbeats.alive_names([REPLAYS]) else MISSING
    except redis_client.Unreachable:
        return UNKNOWN


def _part(name: str, state: str, *, free: int) -> Part:
    return Part(
        title=PARTS[name]["title"],
        state=state,
        advice="" if state == OK else PARTS[name]["advice"],
        note=f"{free / 1024**3:.1f} GiB free" if name == "disk" else "",
    )


def _existing(folder: Path) -> Path:
    return folder if folder.exists() else _existing(folder.parent)


@lab_page
def system(request: LabRequest) -> HttpResponse:
    return page_render(request, "system/system", {"here": "system", "page": SystemPage()})
