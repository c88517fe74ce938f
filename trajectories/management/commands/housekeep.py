from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from core.telemetry import exposition
from trajectories.record.chores.loop import stop_on_signals
from trajectories.wiring import housekeeper


class Command(BaseCommand):
    requires_system_checks: list[str] = []  # the checks would import every page of the lab
    help = "Run the housekeeper, which finds slow work that is due and tidies up. Run only one at a time."

    def handle(self, *_args: Any, **_options: Any) -> None:
        exposition.expose("housekeeper")
        housekeeper.housekeep_forever(stop=stop_on_signals())
