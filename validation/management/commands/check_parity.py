"""``manage.py check_parity``: each item's text must be recoverable from the observation of its page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone
from tqdm import tqdm

from core.commands import GymCommand
from tasks_app.models import Task
from tasks_app.questions import questions
from tasks_app.registry import benchmarks
from validation.parity.looks import covering_looks, pairing_looks

if TYPE_CHECKING:
    from validation.parity.check import Failure

# This command removes its own mark once an item passes; reasons given by the source are kept.
PARITY_REASON = "its text cannot be recovered from the observation of its page"
# A single observation cannot contain a whole site.
SITE_REASON = "its pages are a whole site"
COLUMNS = ("benchmark", "items", "recoverable", "failed", "not checked")


@dataclass
class Tally:
    """One benchmark's counts; ``reasons`` counts why items were not checked."""

    items: int = 0
    recoverable: int = 0
    failures: list[tuple[Task, Failure]] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)

    def cells(self, benchmark: str) -> tuple[str, ...]:
        counts = (self.items, self.recoverable, len(self.failures), self.reasons.total())
        return (benchmark, *(f"{count:,}" for count in counts))


class Command(GymCommand):
    help = "Show that the source text of every item can be recovered from the observation of its page."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--benchmark", metavar="B", help="Only this benchmark.")
        parser.add_argument("--limit", type=int, metavar="N", help="At most N items of each benchmark.")
        parser.add_argument(
            "--every-pair",
            action="store_true",
            help="Check each item in looks that cover every pair of values (slow).",
        )
        parser.add_argument("--mark", action="store_true", help="Store the result in gap_eligible.")

    def handle(self, **options: Any) -> None:
        tallies: dict[str, Tally] = {}
        to_check: list[Task] = []
        for task in self._tasks(options):
            tally = tallies.setdefault(task.benchmark_id, Tally())
            tally.items += 1
            if questions.get(task.kind).pages == "site":
                tally.reasons[SITE_REASON] += 1
            elif task.gap_eligible or task.gap_reason == PARITY_REASON:
                to_check.append(task)
            else:
                tally.reasons[task.gap_reason or "no reason given"] += 1
        if not tallies:
            raise CommandError("There are no tasks to check: load a benchmark first.")
        failures = self._check(to_check, in_every_pair=options["every_pair"])
        for task, failure in zip(to_check, failures, strict=True):
            tally = tallies[task.benchmark_id]
            if failure is None:
                tally.recoverable += 1
            else:
                tally.failures.append((task, failure))
        kinds = {task.kind for task in to_check} or {""}
        self._print(tallies, kinds=kinds, in_every_pair=options["every_pair"])
        if options["mark"]:
            self._mark(to_check, failures)
        failed = sum(len(tally.failures) for tally in tallies.values())
        if failed:
            raise CommandError(f"{failed} items cannot be recovered.")

    def _tasks(self, options: dict[str, Any]) -> list[Task]:
        names = [benchmarks.get(options["benchmark"]).id] if options["benchmark"] else list(benchmarks)
        tasks = Task.objects.order_by("pk")
        return [task for name in names for task in tasks.filter(benchmark=name)[: options["limit"]]]

    def _check(self, tasks: list[Task], *, in_every_pair: bool) -> list[Failure | None]:
        try:
            from gymsite.question_pages.server import Item
            from palaestra.errors import BrowserMissing
            from validation.parity.check import items_check
        except ModuleNotFoundError as error:
            raise CommandError(f"This needs the client ({error}): pip install ./client") from None
        items = [Item(task.kind, task.payload) for task in tasks]
        with tqdm(total=len(items), unit=" items", disable=None) as bar:
            try:
                return items_check(items, in_every_pair=in_every_pair, progress=bar.update)
            except BrowserMissing as error:
                raise CommandError(str(error)) from None

    def _print(self, tallies: dict[str, Tally], *, kinds: set[str], in_every_pair: bool) -> None:
        rows = [COLUMNS, *(tally.cells(name) for name, tally in tallies.items())]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            self.stdout.write("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))
        paired, cover = max(len(pairing_looks(kind)) for kind in kinds), len(covering_looks(0))
        looks_text = (
            f"{paired} looks, which cover every pair of values of two axes"
            if in_every_pair
            else f"{cover} looks of its own, which cover every value of every axis"
        )
        self.stdout.write(f"Each item was shown in {looks_text}.")
        for name, tally in tallies.items():
            for reason, count in tally.reasons.most_common():
                what = "not checked" if reason == SITE_REASON else "not eligible and not checked"
                self.stdout.write(f"{name}: {count:,} {what}: {reason}")
            for task, failure in tally.failures:
                self.stdout.write(f"{task} (task {task.pk}) in {failure.look}: {failure.problem}")

    def _mark(self, tasks: list[Task], failures: list[Failure | None]) -> None:
        for is_eligible in (True, False):
            ids = [
                task.pk
                for task, failure in zip(tasks, failures, strict=True)
                if (failure is None) == is_eligible and task.gap_eligible != is_eligible
            ]
            reason = "" if is_eligible else PARITY_REASON
            Task.objects.filter(pk__in=ids).update(
                gap_eligible=is_eligible, gap_reason=reason, updated_at=timezone.now()
            )
            word = "eligible again" if is_eligible else "not eligible"
            self.stdout.write(f"Marked {word}: {len(ids):,}.")
