from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import GymError
from trajectories.annotation.projects.sample import PARTS
from trajectories.judges.samples import SamplePlan, sample_draw
from trajectories.judges.services import judge_get
from trajectories.models.access import DEFAULT_PROJECT


class Command(BaseCommand):
    help = (
        "Draw a stratified sample of the episodes that a judge has graded, for people to label blind. The"
        " resulting annotation project measures only this judge."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("judge")
        parser.add_argument("people", nargs="+", help="account names of the people who will label")
        parser.add_argument("--units", type=int, default=300, help="number of episodes (300)")
        parser.add_argument(
            "--run", type=int, action="append", default=[], help="only this run; can be repeated"
        )
        parser.add_argument(
            "--by", nargs="*", choices=PARTS, default=list(PARTS), help="what defines a stratum"
        )
        parser.add_argument(
            "--people-each", type=int, default=1, help="number of people who label each episode (1)"
        )
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--project", default=DEFAULT_PROJECT)

    def handle(self, *_args: Any, **options: Any) -> None:
        names: list[str] = options["people"]
        people = list(User.objects.filter(username__in=names).order_by("pk"))
        if missing := set(names) - {one.username for one in people}:
            raise CommandError(f"There is no account {', '.join(sorted(missing))}.")
        plan = SamplePlan(
            units=options["units"],
            seed=options["seed"],
            runs=options["run"],
            by=options["by"],
            people_each=options["people_each"],
            project=options["project"],
            people=people,
        )
        try:
            sample = sample_draw(judge_get(options["judge"]), plan)
        except GymError as error:
            raise CommandError(error.message) from None
        units = sample.project.units.count()
        self.stdout.write(f"Annotation project {sample.project_id} has {units} episodes to label.")
