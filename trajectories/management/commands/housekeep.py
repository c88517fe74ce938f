from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from core.telemetry import exposition
from trajectories.record.chores.loop import stop_on_signals
from trajectories.wiring import housekeeper


class Command(BaseCommand):
    requires_system_checks: list[str] = []  # they import every page of the lab
    help = "Finds pictures, facts and replays that are due, and tidies. One at a time."

    def handle(self, *_args: Any, **_options: Any) -> None:
        exposition.expose("housekeeper")
        housekeeper.housekeep_forever(stop=stop_on_signals())
