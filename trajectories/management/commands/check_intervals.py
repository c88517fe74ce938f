"""Simulates evaluations with known truth, and prints how often a report's intervals and tests are right."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Print the coverage of a report's intervals and the false-alarm rates of its tests, simulated."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--replicates", type=int, default=2_000, help="Simulated evaluations per regime.")
        parser.add_argument("--seed", type=int, default=1)

    def handle(self, *, replicates: int, seed: int, **options: Any) -> None:
        # Heavy to import, and of use here alone.
        from trajectories.reports.estimators import simulation

        self.stdout.write("| regime | method | target | share | error | silent |\n|---|---|---|---|---|---|")
        for regime in simulation.REGIMES:
            for target, simulate in ((95, simulation.coverage), (5, simulation.false_alarms)):
                for tally in simulate(regime, replicates=replicates, seed=seed):
                    share, error = tally.share, tally.error
                    stated = "–" if share is None else f"{share:.1%}"
                    spread = "–" if error is None else f"{error:.1%}"
                    cells = [regime.name, tally.method, f"{target}%", stated, spread, str(tally.silent)]
                    self.stdout.write(f"| {' | '.join(cells)} |")
