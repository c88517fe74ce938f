from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import GymError
from tasks_app.selectors import benchmark_list
from trajectories.models.access import DEFAULT_PROJECT, Scope
from trajectories.record import projects
from trajectories.record.api import auth

NAME_MAX_CHARS = 100


class Command(BaseCommand):
    help = "Create an API key and print only the key. Note it down, because only its digest is stored."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", required=True, help="the key's holder, shown in lists")
        parser.add_argument("--scopes", required=True, help=f"comma-separated: {', '.join(Scope.values)}")
        parser.add_argument(
            "--project",
            default=DEFAULT_PROJECT,
            help=f"the only project whose runs the key sees and changes (default: {DEFAULT_PROJECT})",
        )
        parser.add_argument("--splits", default="", help="comma-separated splits to which the key is limited")

    def handle(self, *_args: Any, **options: Any) -> None:
        name = options["name"].strip()
        scopes, splits = _words(options["scopes"]), _words(options["splits"])
        if not name or len(name) > NAME_MAX_CHARS:
            raise CommandError(f"A name must have 1 to {NAME_MAX_CHARS} characters.")
        if not scopes:
            raise CommandError(f"Give at least one scope: {', '.join(Scope.values)}.")
        project, known = options["project"], projects.names()
        try:
            key = auth.key_create(name=name, scopes=scopes, splits=splits, project=project)
        except GymError as error:
            raise CommandError(error.message) from None
        if project not in known:
            self.stderr.write(f"The project {project!r} is new. Existing projects: {', '.join(known)}.")
        if unknown := sorted(set(splits) - (names := _split_names())):
            self.stderr.write(
                f"No benchmark has the split {', '.join(map(repr, unknown))} yet. Existing splits: "
                f"{', '.join(sorted(names)) or 'none'}."
            )
        self.stdout.write(key)


def _split_names() -> set[str]:
    return {split for benchmark in benchmark_list(splits=None) for split in benchmark["splits"]}


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(filter(None, (word.strip() for word in text.split(",")))))
