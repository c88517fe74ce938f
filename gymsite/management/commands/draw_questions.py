"""``manage.py draw_questions BENCHMARK``: draw pictures of questions, for arms gym_image and prompt_image."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from core.commands import GymCommand
from core.storage import file_lock
from tasks_app import question_pictures
from tasks_app.registry import benchmarks

BATCH = 100


class Command(GymCommand):
    help = "Draw a benchmark's questions as pictures, except unchanged questions that already have one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("benchmark", metavar="BENCHMARK", help=f"One of {', '.join(benchmarks)}.")
        parser.add_argument("--limit", type=int, metavar="N", help="Draw at most N questions.")

    def handle(self, **options: Any) -> None:
        try:
            from gymsite.question_pages.drawing import questions_draw
            from palaestra.errors import BrowserMissing
        except ModuleNotFoundError as error:
            raise CommandError(f"This needs the client ({error}): pip install ./client") from None
        name = benchmarks.get(options["benchmark"]).id
        tasks = question_pictures.tasks_undrawn(benchmark=name, limit=options["limit"])
        with tqdm(total=len(tasks), unit=" questions", disable=None) as bar:
            for first in range(0, len(tasks), BATCH):
                batch = tasks[first : first + BATCH]
                try:
                    pictures = questions_draw(batch)
                except BrowserMissing as error:
                    raise CommandError(str(error)) from None
                with file_lock.hold_files():
                    for index, data in pictures:
                        question_pictures.picture_store(batch[index], data)
                bar.update(len(batch))
        self.stdout.write(f"{name}: {len(tasks):,} questions drawn.")
