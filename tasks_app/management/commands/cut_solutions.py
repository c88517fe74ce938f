"""``manage.py cut_solutions``: reference solutions into steps, for guidance."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import GymError
from tasks_app import solution_steps
from tasks_app.registry import benchmarks

HEADS = ("split", "tasks", "with solution", "cut into steps", "steps each")


class Command(BaseCommand):
    help = "Cut the reference solutions of loaded tasks into steps, and show how many tasks have steps."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("benchmarks", metavar="ID", nargs="*", help="By default all.")

    def handle(self, **options: Any) -> None:
        try:
            plugins = [benchmarks.get(name) for name in options["benchmarks"] or benchmarks]
        except GymError as error:
            raise CommandError(error.message) from None
        changed = sum(map(solution_steps.steps_store, plugins))
        self.stdout.write(f"{changed:,} solutions cut again.")
        names = {plugin.id for plugin in plugins}
        rows = [_cells(counts) for counts in solution_steps.step_counts() if counts.benchmark in names]
        widths = [max(map(len, column)) for column in zip(HEADS, *rows, strict=True)]
        for row in (HEADS, *rows):
            self.stdout.write("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))


def _cells(counts: solution_steps.StepCounts) -> tuple[str, ...]:
    each = "" if counts.mean_steps is None else f"{counts.mean_steps:.1f}"
    numbers = (f"{number:,}" for number in (counts.tasks, counts.solved, counts.cut))
    return (f"{counts.benchmark}/{counts.split}", *numbers, each)
