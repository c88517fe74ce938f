from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from core.errors import GymError
from trajectories.judges.attacks import judge_attack, words_of
from trajectories.judges.background import endpoint_open
from trajectories.judges.services import judge_get


class Command(BaseCommand):
    help = (
        "Add texts that ask for a good grade to attempts that a judge graded as not met, and print how often"
        " the judge then changes its grade. After an interruption, run it again to continue."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("judge")
        parser.add_argument("--attempts", type=int, default=40, help="attempts per criterion (40)")
        parser.add_argument(
            "--key-env", default="", help="environment variable that contains the endpoint's key"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            judge = judge_get(options["judge"])
            with tqdm(unit="text", disable=None) as bar, endpoint_open(judge, options["key_env"]) as endpoint:

                def progress(done: int, total: int) -> None:
                    bar.total = total
                    bar.update(done - bar.n)

                reports = judge_attack(judge, endpoint, progress, attempts=options["attempts"])
        except GymError as error:
            raise CommandError(error.message) from None
        for one in reports:
            self.stdout.write(words_of(one))
