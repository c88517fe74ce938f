"""``manage.py search_wordings``: questions that may be ambiguous or lack something needed to answer them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from core.commands import GymCommand
from tasks_app.models import Task
from tasks_app.registry import benchmarks
from validation.benchmarks.wording_suspects import suspicions

SHOWN_CHARS = 120


class Command(GymCommand):
    help = (
        "List loaded questions that refer to a missing figure, ask nothing, ask for a country that no column "
        "names, name a file, ask for something colored, need an undefined name in a program, or have equal "
        "choices. A person should read them and correct them with an erratum."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--benchmark", metavar="B", help="Only this benchmark.")

    def handle(self, **options: Any) -> None:
        tasks = Task.objects.order_by("benchmark_id", "pk").only("benchmark_id", "split", "key", "payload")
        if options["benchmark"]:
            tasks = tasks.filter(benchmark=benchmarks.get(options["benchmark"]).id)
        searched = listed = 0
        for task in tasks.iterator():
            searched += 1
            for rule, words in suspicions(task.payload):
                listed += 1
                text = " ".join(str(task.payload.get("text", "")).split())[:SHOWN_CHARS]
                self.stdout.write(f"{task}  {rule} ({words}): {text}")
        self.stdout.write(f"{searched:,} questions searched, {listed:,} listed.")
