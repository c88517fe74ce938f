from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from core.telemetry import exposition
from trajectories.record.chores.loop import stop_on_signals
from trajectories.rollouts.judging import sweeper


class Command(BaseCommand):
    requires_system_checks: list[str] = []  # the checks would import every page of the lab
    help = (
        "Send submissions to the workers, send lost ones again, and take back lost leases. Run only one at a"
        " time."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        exposition.expose("sweeper")
        sweeper.sweep_forever(stop=stop_on_signals())
