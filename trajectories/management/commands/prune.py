from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from core.storage import blobs
from trajectories.rollouts import retention

UNUSED_DAYS = 7
RECORDINGS, SCREENSHOTS, RUNS = "recordings", "screenshots", "runs"


class Command(BaseCommand):
    help = (
        "Delete runs, or recordings or screenshots of old episodes, and then files to which nothing refers."
        " Without --yes it only counts. Open runs and episodes are never touched."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--runs", type=int, nargs="+", metavar="ID", default=[], help="these runs with everything in them"
        )
        parser.add_argument(
            "--older-than", type=_days, metavar="DAYS", help="days since an episode or run ended"
        )
        parser.add_argument(
            "--what", choices=(RECORDINGS, SCREENSHOTS, RUNS), help="what --older-than applies to"
        )
        parser.add_argument(
            "--unused-for",
            type=_days,
            metavar="DAYS",
            default=UNUSED_DAYS,
            help=f"delete a file if nobody has uploaded or requested it for this long ({UNUSED_DAYS})",
        )
        parser.add_argument("--yes", action="store_true", help="delete")

    def handle(self, *_args: Any, **options: Any) -> None:
        days, what = options["older_than"], options["what"]
        if (days is None) != (what is None):
            raise CommandError("--older-than and --what belong together. Give both or neither.")
        self._is_rehearsal = not options["yes"]
        retention.names_create()
        ids = options["runs"] + (retention.runs_old(days=days) if what == RUNS else [])
        problems = [problem for run_id in ids if (problem := self._run(run_id))]
        if what in (RECORDINGS, SCREENSHOTS):
            with _bar(what, " episodes") as bar:
                count = retention.episodes_prune(
                    what, days=days, is_rehearsal=self._is_rehearsal, progress=bar.update
                )
            self.stdout.write(f"{what}: {count:,} episodes")
        self._files(days=options["unused_for"])
        if self._is_rehearsal:
            self.stdout.write("Nothing was deleted. Add --yes to delete this.")
        if problems:
            raise CommandError("\n".join(problems))

    def _run(self, run_id: int) -> str:
        """Prune a run; return a sentence that says why it was not deleted, or an empty string."""
        if problem := retention.run_problem(run_id):
            return problem
        prune: Callable[..., int] = retention.run_exclude if self._is_rehearsal else retention.run_prune
        with _bar(f"run {run_id}", " episodes") as bar:
            count = prune(run_id, progress=bar.update)
        self.stdout.write(f"run {run_id}: {count:,} episodes")
        return (
            ""
            if self._is_rehearsal or not retention.run_exists(run_id)
            else f"Run {run_id} has new episodes and was kept."
        )

    def _files(self, *, days: int) -> None:
        self.stderr.write("Collecting the files that are referred to ...")
        retention.names_collect()
        for storage in blobs.STORAGES:
            with _bar(storage, " files") as bar:
                total = retention.files_prune(
                    storage, days=days, is_rehearsal=self._is_rehearsal, progress=bar.update
                )
            self.stdout.write(
                f"files of {storage} to which nothing refers: {total.files:,}, {total.bytes:,} bytes"
            )


def _bar(label: str, unit: str) -> tqdm[Any]:
    return tqdm(desc=label, unit=unit, unit_scale=True, disable=None)


def _days(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a number of days, 1 or more")
    return int(text)
