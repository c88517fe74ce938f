"""``manage.py load_benchmark``: loads official files, generated tasks or errata into the database."""

from __future__ import annotations

import time
from argparse import ArgumentTypeError
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from core.commands import GymCommand
from tasks_app import errata, guess_rates, hub, loader, record_files, solution_steps, sources
from tasks_app.registry import benchmarks
from tasks_app.types import BenchmarkPlugin, Row

SEED_HELP = (
    "Seed of generated tasks. Anyone who knows it can compute the answers, so choose a large secret number."
)


class Command(GymCommand):
    help = "Import a benchmark's official file or generate its tasks. Running it again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "benchmark", metavar="ID", nargs="?", help=f"One of {', '.join(benchmarks)}; not with --errata."
        )
        parser.add_argument(
            "--file", type=Path, metavar="PATH", help="The official file, or a folder of them."
        )
        parser.add_argument("--hub", action="store_true", help="Fetch the files from the Hugging Face hub.")
        parser.add_argument(
            "--split", metavar="S", help="Default: the split in the file's name, else the benchmark's first."
        )
        parser.add_argument("--limit", type=_positive, metavar="N", help="Load at most N rows of the split.")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="Allow overwriting questions from another file of the split.",
        )
        parser.add_argument("--count", type=_positive, metavar="N", help="Number of tasks to generate.")
        parser.add_argument("--seed", type=int, metavar="K", help=SEED_HELP)
        parser.add_argument(
            "--errata",
            type=Path,
            metavar="FILE",
            help="Correct loaded tasks: a CSV file with column names, or JSON lines, with benchmark, split "
            "(optional), key, status (disputed, corrected or unanswerable), corrected_answer (for choices, a "
            "label or a text) and source.",
        )

    def handle(self, **options: Any) -> None:
        if options["errata"]:
            self._errata(options)
            return
        if options["benchmark"] is None:
            raise CommandError(f"Name the benchmark: one of {', '.join(benchmarks)}.")
        plugin = benchmarks.get(options["benchmark"])
        file: Path | None = options["file"]
        named = sources.split_named(plugin, file) if file else plugin.splits[0]
        split = options["split"] or named
        others: Counter[str] = Counter()
        read = _rows(plugin, split=split, options=options)
        rows = islice(sources.rows_of_split(read, split=split, others=others), options["limit"])
        started = time.monotonic()
        with tqdm(desc=f"{plugin.id}/{split}", unit=" tasks", unit_scale=True, disable=None) as bar:
            report = loader.tasks_load(
                plugin, rows, split=split, is_replacing=options["replace"], progress=bar.update
            )
        seconds = time.monotonic() - started
        solution_steps.steps_store(plugin, split=split)
        guessed = None if plugin.has_guess_rates else guess_rates.guess_rates_store(plugin, split=split)
        self._report(report, seconds=seconds, name=f"{plugin.id}/{split}", guessed=guessed)
        _check_loaded(report, name=f"{plugin.id}/{split}", others=others)

    def _errata(self, options: dict[str, Any]) -> None:
        if any(
            options[name]
            for name in ("benchmark", "file", "hub", "split", "limit", "replace", "count", "seed")
        ):
            raise CommandError("--errata takes no other options because its lines name benchmark and split.")
        report = errata.errata_apply(record_files.records(record_files.source_files(options["errata"])))
        for change in report.changes:
            self.stdout.write(change)
        counts = (
            f"{report.disputed} golds disputed, {report.corrected} corrected, {report.unchanged} unchanged"
        )
        self.stdout.write(f"{counts}; {report.unanswerable} questions unanswerable.")
        for row in report.bad:
            self.stderr.write(f"skipped {row}")
        if report.bad:
            raise CommandError(f"{len(report.bad)} lines skipped; the others were applied.")

    def _report(self, report: loader.LoadReport, *, seconds: float, name: str, guessed: float | None) -> None:
        for change in report.gold_changes:
            self.stdout.write(f"{change.name}: the gold has changed; version {change.version} is current.")
        heads = (
            "split",
            "new",
            "changed",
            "unchanged",
            "new golds",
            "bad rows",
            "seconds",
            "tasks/s",
            "blind",
        )
        counts = (report.new, report.changed, report.unchanged, len(report.gold_changes), len(report.bad))
        rate = report.total / max(seconds, 1e-9)
        blind = "" if guessed is None else f"{guessed:.1%}"
        cells = (name, *(f"{count:,}" for count in counts), f"{seconds:.2f}", f"{rate:,.0f}", blind)
        widths = [max(len(head), len(cell)) for head, cell in zip(heads, cells, strict=True)]
        for line in (heads, cells):
            self.stdout.write("  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)))
        if report.problem:
            self.stderr.write(report.problem)
        for row in report.bad:
            self.stderr.write(f"skipped {row}")


def _check_loaded(report: loader.LoadReport, *, name: str, others: Counter[str]) -> None:
    """Raise ``CommandError`` for bad rows or if no task was loaded; ``others`` counts other splits' rows."""
    problems: list[str] = []
    if report.bad:
        problems.append(f"{len(report.bad)} bad rows skipped; the other {report.total} were loaded.")
    if not report.total:
        problems.append(f"No task of {name} was found.")
    if others and not report.total:
        there = ", ".join(f"{split} {count:,}" for split, count in sorted(others.items()))
        problems.append(f"Available: {there}; choose with --split.")
    if problems:
        raise CommandError(" ".join(problems))


def _rows(plugin: BenchmarkPlugin, *, split: str, options: dict[str, Any]) -> Iterator[Row]:
    path, count, seed = options["file"], options["count"], options["seed"]
    if plugin.generate is not None:
        if path or options["hub"] or count is None:
            raise CommandError(f"{plugin.id} is generated: give --count N and, optionally, --seed K.")
        return plugin.generate(count, seed or 0, split)
    if count is not None or seed is not None:
        raise CommandError(
            f"{plugin.id} is read from files; --count and --seed are for generated benchmarks."
        )
    if (path is None) == (not options["hub"]):
        raise CommandError(
            f"Say where to find {plugin.id}: --file PATH or --hub. Its source is {plugin.source}."
        )
    files = sources.split_files(plugin, path, split=split) if path else hub.hub_files(plugin, split=split)
    return record_files.drafts(plugin, files)


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)
