from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from tqdm import tqdm

from tasks_app.registry import benchmarks
from trajectories.rollouts.judging import rejudge


class Command(BaseCommand):
    help = "Judge every stored submission again and print the verdicts that flip."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--benchmark", help="only this benchmark")
        parser.add_argument("--dry-run", action="store_true", help="print what would flip without writing it")

    def handle(self, *_args: Any, benchmark: str | None, dry_run: bool, **_options: Any) -> None:
        if benchmark is not None:
            benchmarks.get(benchmark)
        total, changed = rejudge.judged_count(benchmark=benchmark)
        flips = 0
        judged = rejudge.rejudge(benchmark=benchmark, is_dry_run=dry_run)
        for flip in tqdm(judged, total=total, unit="verdict", disable=None):
            if flip is not None:
                flips += 1
                self._print(flip)
        verb = "would flip" if dry_run else "flipped"
        self.stdout.write(f"{flips} of {total} verdicts {verb}.")
        if changed:
            self.stdout.write(f"Left out: {changed} episodes whose task has changed since then.")

    def _print(self, flip: rejudge.Flip) -> None:
        line = (
            f"episode {flip.episode_id}: {flip.before} -> {flip.after}"
            f" ({flip.verifier}, gold version {flip.gold_version})"
        )
        self.stdout.write(f"{line}; NOT WRITTEN: {flip.conflict}" if flip.conflict else line)
