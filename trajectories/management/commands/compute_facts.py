from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from tqdm import tqdm

from trajectories.behaviour.facts import store

BATCH = 100


class Command(BaseCommand):
    help = "Compute the facts of ended episodes, namely action checks and measures of behaviour."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--run", type=int, help="only this run")
        parser.add_argument("--all", action="store_true", help="also recompute existing ones")

    def handle(self, *_args: Any, **options: Any) -> None:
        run: int | None = options["run"]
        episodes = steps = after = 0
        with tqdm(unit="step", disable=None) as progress:
            while ids := store.episodes_all(after=after, limit=BATCH, run=run, again=options["all"]):
                done = store.facts_compute(ids)
                episodes, steps, after = episodes + len(ids), steps + done, ids[-1]
                progress.update(done)
        self.stdout.write(f"Facts computed for {episodes} episodes with {steps} steps.")
