"""Make an API key and print it, and nothing else, on standard output."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import GymError
from trajectories.api import auth
from trajectories.models.access import Scope

NAME_MAX_CHARS = 100


class Command(BaseCommand):
    help = "Makes an API key and prints it. It cannot be shown again: only its digest is stored."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", required=True, help="Whose key this is; shown in lists.")
        parser.add_argument("--scopes", required=True, help=f"Comma-separated, of {', '.join(Scope.values)}.")
        parser.add_argument("--splits", default="", help="Comma-separated splits that the key is limited to.")

    def handle(self, *_args: Any, **options: Any) -> None:
        name = options["name"].strip()
        scopes, splits = _words(options["scopes"]), _words(options["splits"])
        if not name or len(name) > NAME_MAX_CHARS:
            raise CommandError(f"A name has 1 to {NAME_MAX_CHARS} characters.")
        if not scopes:
            raise CommandError(f"Name at least one scope, of {', '.join(Scope.values)}.")
        try:
            key = auth.key_create(name=name, scopes=scopes, splits=splits)
        except GymError as error:
            raise CommandError(error.message) from None
        self.stdout.write(key)


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(filter(None, (word.strip() for word in text.split(",")))))
