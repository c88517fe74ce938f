from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import GymError
from trajectories.judges.report import report_lines
from trajectories.judges.services import judge_get


class Command(BaseCommand):
    help = (
        "Print a judge's measured accuracy, the effect of texts that ask for a grade, and the share of"
        " episodes that meet each criterion, both as graded and corrected for the judge's error rates."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("judge")
        parser.add_argument(
            "--run", type=int, action="append", default=[], help="only this run; can be repeated"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            for line in report_lines(judge_get(options["judge"]), runs=options["run"]):
                self.stdout.write(line)
        except GymError as error:
            raise CommandError(error.message) from None
