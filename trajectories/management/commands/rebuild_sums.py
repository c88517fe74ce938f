from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from tqdm import tqdm

from trajectories.models import Run
from trajectories.record import hot_sql


class Command(BaseCommand):
    help = "Recompute the sums of runs, and the positions of completed groups, from their verdicts."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--run", type=int, help="only this run")

    def handle(self, *_args: Any, **options: Any) -> None:
        runs = Run.objects.order_by("pk")
        if options["run"] is not None:
            runs = runs.filter(pk=options["run"])
        ids = list(runs.values_list("pk", flat=True))
        wrong = sum(hot_sql.sums_rebuild(run_id=run_id) for run_id in tqdm(ids, unit="run", disable=None))
        self.stdout.write(f"Sums of {len(ids)} runs computed; {wrong} rows were wrong.")
