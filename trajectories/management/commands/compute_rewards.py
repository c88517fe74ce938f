from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from tqdm import tqdm

from trajectories.rewards import store

BATCH = 100


class Command(BaseCommand):
    help = "Compute the reward components of ended episodes. After an interruption, run it again to continue."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--run", type=int, help="only this run")
        parser.add_argument("--all", action="store_true", help="also recompute existing ones")

    def handle(self, *_args: Any, **options: Any) -> None:
        run: int | None = options["run"]
        episodes = steps = after = 0
        with tqdm(unit="episode", disable=None) as progress:
            while ids := store.episodes_all(after=after, limit=BATCH, run=run, again=options["all"]):
                steps += store.components_compute(ids)
                episodes, after = episodes + len(ids), ids[-1]
                progress.update(len(ids))
        self.stdout.write(
            f"Computed for {episodes} episode{'' if episodes == 1 else 's'} with {steps} steps."
        )
