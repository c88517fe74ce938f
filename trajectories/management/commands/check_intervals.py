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
        from trajectories.reports.training import transfer_simulation

        regimes = [one for one in simulation.REGIMES if not regime or one.name in regime]
        transfers = [one for one in transfer_simulation.TRANSFER_REGIMES if not regime or one.name in regime]
        rows, transfer_rows = [], []
        with ProcessPoolExecutor(processes) as pool:
            amount: dict[str, Any] = {"replicates": replicates, "seed": seed, "pool": pool}
            for one in regimes:
                tallies = simulation.simulate(one, simulation.evaluations_simulate, **amount)
                rows.append(self._shown(simulation_table.row(one.name, tallies)))
            for other in transfers:
                tallies = simulation.simulate(other, transfer_simulation.transfers_simulate, **amount)
                methods = simulation_table.TRANSFER_METHODS
                transfer_rows.append(self._shown(simulation_table.row(other.name, tallies, methods=methods)))
        page = simulation_table.page(
            rows,
            transfer_rows,
            regimes=regimes,
            transfer_words={one.name: one.words for one in transfers},
            replicates=replicates,
        )
        self.stdout.write(page)
        if write:
            write.write_text(page, encoding="utf-8")

    def _shown(self, row: str) -> str:
        """Print a row as soon as it is ready: all of them take minutes."""
        self.stderr.write(row)
        return row
