"""Simulates evaluations with known truth, and prints how often a report's intervals and tests are right."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Print the coverage of a report's intervals and the false-alarm rates of its tests, simulated."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--replicates", type=int, default=4_000, help="Simulated evaluations per regime.")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--regime", action="append", help="Its name; all are simulated without.")
        parser.add_argument("--processes", type=int, default=os.cpu_count())
        parser.add_argument("--write", type=Path, metavar="FILE", help="Write the page of the table.")

    def handle(
        self,
        *,
        replicates: int,
        seed: int,
        regime: list[str] | None,
        processes: int,
        write: Path | None,
        **options: Any,
    ) -> None:
        # Heavy to import, and of use here alone.
        from trajectories.reports.estimators import simulation, simulation_table

        regimes = [one for one in simulation.REGIMES if not regime or one.name in regime]
        rows = []
        with ProcessPoolExecutor(processes) as pool:
            for one in regimes:
                tallies = simulation.simulate(one, replicates=replicates, seed=seed, pool=pool)
                rows.append(simulation_table.row(one, tallies))
                self.stderr.write(rows[-1])
        page = simulation_table.page(rows, regimes=regimes, replicates=replicates)
        self.stdout.write(page)
        if write:
            write.write_text(page, encoding="utf-8")
