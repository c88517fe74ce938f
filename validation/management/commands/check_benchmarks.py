"""``manage.py check_benchmarks PATH``: golds must pass their verifiers, and wrong answers must fail."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from core.errors import GymError
from tasks_app import kinds, loader
from tasks_app.models import Task
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, BenchmarkPlugin, Row
from trajectories.models import Run
from trajectories.record.api import health
from validation.benchmarks import rounds, splits

SHOWN_CHARS = 160
OUTCOMES = tuple((role, kind) for role in rounds.ROLES for kind in (Run.Kind.EVAL, Run.Kind.TRAIN))
HEADS = (
    "split", "items", "bad rows", "gold: official", "training", "wrong: official", "training", "void",
    "disputed", "seconds",
)  # fmt: skip


@dataclass
class Checked:
    """Results of a split: what was loaded, how its answers were judged, and what went wrong."""

    name: str
    items: int
    bad: list[BadRow]
    expected: Counter[tuple[str, str]] = field(default_factory=Counter)
    surprises: list[rounds.Finding] = field(default_factory=list)
    disputed: set[int] = field(default_factory=set)
    voids: int = 0
    seconds: float = 0.0

    @property
    def problems(self) -> list[rounds.Finding]:
        return [finding for finding in self.surprises if not finding.is_disputed]

    def add(self, finding: rounds.Finding) -> None:
        self.voids += finding.is_void
        if finding.is_disputed:
            self.disputed.add(finding.task.pk)
        if finding.is_expected:
            self.expected[finding.role, finding.run_kind] += 1
        else:
            self.surprises.append(finding)

    def cells(self) -> tuple[str, ...]:
        shares = [f"{self.expected[outcome]}/{self.items}" for outcome in OUTCOMES]
        counts = map(str, (self.voids, len(self.disputed)))
        return (self.name, f"{self.items:,}", str(len(self.bad)), *shares, *counts, f"{self.seconds:.1f}")


class Command(BaseCommand):
    help = (
        "Import every benchmark in a folder and submit each item's gold and a wrong answer, in a run for "
        "evaluation and in one for training. The running workers judge them. Golds that fail are printed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, metavar="PATH", help="Folder with a subfolder per benchmark.")
        parser.add_argument("--benchmark", metavar="B", help="Only this one.")
        parser.add_argument("--limit", type=int, metavar="N", help="At most N items of each split.")
        parser.add_argument(
            "--count", type=int, metavar="N", help="Number of items to generate for generated benchmarks."
        )

    def handle(self, **options: Any) -> None:
        checked: list[Checked] = []
        try:
            self._check_workers()
            checked.extend(self._check_all(options))
        except GymError as error:
            self._print(checked)
            raise CommandError(error.message) from None
        if not checked:
            raise CommandError(f"The folder {options['path']} contains no folder named after a benchmark.")
        self._print(checked)
        bad = sum(len(split.bad) for split in checked)
        problems = sum(len(split.problems) for split in checked)
        if bad or problems:
            raise CommandError(f"{bad} bad rows, {problems} answers were not judged as expected.")

    def _check_workers(self) -> None:
        report = health.health_report()
        missing = [part for part in ("redis", "workers", "sweeper") if report[part] != health.OK]
        if missing:
            raise CommandError(
                f"Start the installation first (make up): no answer from {', '.join(missing)}."
            )
        if report["sandbox"] != health.OK:
            self.stderr.write("No worker has a sandbox, so verdicts on programs will be void.")

    def _check_all(self, options: dict[str, Any]) -> Iterator[Checked]:
        names = [benchmarks.get(options["benchmark"]).id] if options["benchmark"] else list(benchmarks)
        for plugin in map(benchmarks.get, names):
            for split in _splits(plugin, options):
                yield self._check(plugin, split, limit=options["limit"])

    def _check(self, plugin: BenchmarkPlugin, split: splits.Split, *, limit: int | None) -> Checked:
        started = time.monotonic()
        name = f"{plugin.id}/{split.name}"
        rows: list[Row] = [*split.bad, *split.drafts[:limit]]
        with tqdm(desc=f"{name}: load", unit=" tasks", total=len(rows), leave=False, disable=None) as bar:
            report = loader.tasks_load(plugin, rows, split=split.name, progress=bar.update)
        keys = [draft.key for draft in split.drafts[:limit]]
        tasks = list(Task.objects.filter(benchmark=plugin.id, split=split.name, key__in=keys).order_by("pk"))
        checked = Checked(name, len(tasks), report.bad)
        answers = len(tasks) * len(OUTCOMES)
        with tqdm(desc=f"{name}: judge", unit=" verdicts", total=answers, leave=False, disable=None) as bar:
            for finding in rounds.tasks_check(tasks, runs=rounds.runs_make(name), progress=bar.update):
                checked.add(finding)
        checked.seconds = time.monotonic() - started
        return checked

    def _print(self, checked: Sequence[Checked]) -> None:
        if not checked:
            return
        lines = [HEADS, *(split.cells() for split in checked)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        for line in lines:
            self.stdout.write("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))
        for split in checked:
            for row in split.bad:
                self.stdout.write(f"{split.name}: bad row {row}")
            for finding in split.surprises:
                self.stdout.write(_line(finding))


def _splits(plugin: BenchmarkPlugin, options: dict[str, Any]) -> Iterator[splits.Split]:
    if plugin.generate is not None:
        if options["count"] and plugin.kind != kinds.SITE:
            named = plugin.splits[0]
            yield from splits.rows_by_split(plugin.generate(options["count"], 0, named), named=named)
        return
    folder: Path = options["path"] / (plugin.folder or plugin.id)
    if folder.is_dir():
        yield from splits.splits_in(plugin, folder)


def _line(finding: rounds.Finding) -> str:
    verdict = (
        f"{finding.outcome} ({finding.reason}) by {finding.verifier or 'nobody'}, {finding.run_kind} run"
    )
    dispute = " (its gold is disputed)" if finding.is_disputed else ""
    answer = f"{finding.role} {_short(str(finding.answer))}"
    return f"{finding.task}{dispute}: {answer}: {verdict}; {_short(finding.read)}"


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= SHOWN_CHARS else f"{one_line[:SHOWN_CHARS]}..."
