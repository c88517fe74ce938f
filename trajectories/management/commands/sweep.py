from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from core.telemetry import exposition
from trajectories.record.chores.loop import stop_on_signals
from trajectories.rollouts.judging import sweeper


class Command(BaseCommand):
    requires_system_checks: list[str] = []  # they import every page of the lab
    help = "Sends submissions to the workers, re-sends lost ones, and reaps lost leases. One at a time."

    def handle(self, *_args: Any, **_options: Any) -> None:
        exposition.expose("sweeper")
        sweeper.sweep_forever(stop=stop_on_signals())
