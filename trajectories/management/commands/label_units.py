from __future__ import annotations

from typing import Any

import httpx
from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from core.errors import GymError
from trajectories.annotation.machines import services
from trajectories.annotation.machines.judge import REPLY_TOKENS, Judge
from trajectories.models import AnnotationProject


class Command(BaseCommand):
    help = (
        "Let a machine label the units of an annotation project that it has not labelled yet. The machine is"
        " the thought ribbon's rules, or a judge model behind an OpenAI-compatible chat completions endpoint."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", type=int)
        machine = parser.add_mutually_exclusive_group(required=True)
        machine.add_argument("--rules", action="store_true", help="the rules of the thought ribbon")
        machine.add_argument("--model", help="the model's name at the endpoint")
        parser.add_argument("--url", help="base address of the endpoint, such as http://127.0.0.1:8080/v1")
        parser.add_argument(
            "--schema",
            action="store_true",
            help="ask the endpoint to enforce the answer's form with a JSON schema",
        )
        parser.add_argument(
            "--max-tokens", type=int, default=REPLY_TOKENS, help="maximum length of a reply in tokens"
        )
        parser.add_argument(
            "--key-env", default="", help="environment variable that contains the endpoint's key"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        project = AnnotationProject.objects.select_related("codebook").filter(pk=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no annotation project {options['project']}.")
        if options["model"] and not options["url"]:
            raise CommandError("Give the model's endpoint with --url.")
        with tqdm(unit="unit", disable=None) as bar:
            try:
                result = self._label(project, bar, options)
            except GymError as error:
                raise CommandError(
                    f"{error.message} The labels so far were kept; run the command again to continue."
                ) from None
        self.stdout.write(
            f"{result['annotator']}: {result['labelled']} labelled, {result['unusable']} without a usable"
            f" answer, {result['deleted']} whose step was deleted."
        )

    def _label(self, project: AnnotationProject, bar: Any, options: dict[str, Any]) -> dict[str, Any]:
        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        if options["rules"]:
            return services.rules_label(project, progress)
        with httpx.Client() as client:
            judge = Judge(
                url=options["url"],
                model=options["model"],
                key=services.key_read(options["key_env"]),
                client=client,
                max_tokens=options["max_tokens"],
                has_schema=options["schema"],
            )
            return services.judge_label(project, judge, progress)
