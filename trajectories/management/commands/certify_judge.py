from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import GymError
from trajectories.judges.certification import judge_certify, words_of
from trajectories.judges.services import judge_get


class Command(BaseCommand):
    help = "Compare a judge with the labels of its sample. This is done once; later calls print the result."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("judge")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            results = judge_certify(judge_get(options["judge"]))
        except GymError as error:
            raise CommandError(error.message) from None
        for one in results:
            self.stdout.write(words_of(one))
