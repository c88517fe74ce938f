"""``manage.py cut_solutions``: cuts reference solutions into steps, for guidance."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from core.commands import GymCommand
from core.errors import GymError
from tasks_app import solution_steps
from tasks_app.leaks import checks
from tasks_app.models import Gold
from tasks_app.registry import benchmarks

HEADS = ("split", "tasks", "with solution", "cut into steps", "steps each")
LEAK_HEADS = ("split", "checked", "first step leaks", "first two", "first three", "can be given")
BATCH = 100


class Command(GymCommand):
    help = "Cut the reference solutions of loaded tasks into steps, and show how many tasks have steps."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("benchmarks", metavar="ID", nargs="*", help="Default: all.")
        parser.add_argument(
            "--leaks",
            action="store_true",
            help="Also check each solution once for its answer (8 ms to 0.1 s) and count how many "
            "contain it in their first steps.",
        )

    def handle(self, **options: Any) -> None:
        plugins = [benchmarks.get(name) for name in options["benchmarks"] or benchmarks]
        changed = sum(map(solution_steps.steps_store, plugins))
        self.stdout.write(f"{changed:,} solutions cut again.")
        names = {plugin.id for plugin in plugins}
        rows = [_cells(counts) for counts in solution_steps.step_counts() if counts.benchmark in names]
        self._table(HEADS, rows)
        if options["leaks"]:
            self._check(names)
            leaks = [
                _leak_cells(counts) for counts in solution_steps.leak_counts() if counts.benchmark in names
            ]
            self._table(LEAK_HEADS, leaks)

    def _check(self, names: set[str]) -> None:
        """Count the clean steps of solutions that have not been checked, reporting those that cannot be."""
        unchecked = Gold.objects.filter(task__benchmark__in=names, is_current=True, clean_steps=None)
        for gold in unchecked.exclude(steps=[]).select_related("task").order_by("pk").iterator(BATCH):
            try:
                checks.clean_steps_store([gold])
            except GymError as error:
                self.stderr.write(error.message)

    def _table(self, heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        for row in (heads, *rows):
            self.stdout.write("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))


def _leak_cells(counts: solution_steps.LeakCounts) -> tuple[str, ...]:
    leaking = (f"{share:.1%}" for share in counts.leaking)
    return (f"{counts.benchmark}/{counts.split}", f"{counts.checked:,}", *leaking, f"{counts.clean:.1%}")


def _cells(counts: solution_steps.StepCounts) -> tuple[str, ...]:
    each = "" if counts.mean_steps is None else f"{counts.mean_steps:.1f}"
    numbers = (f"{number:,}" for number in (counts.tasks, counts.solved, counts.cut))
    return (f"{counts.benchmark}/{counts.split}", *numbers, each)
