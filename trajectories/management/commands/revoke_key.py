from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import GymError
from trajectories.record.api import auth


class Command(BaseCommand):
    help = "Revoke an API key permanently. `list_keys` shows the ids."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("id", type=int, help="the key's id, as list_keys shows it")

    def handle(self, *_args: Any, **options: Any) -> None:
        key_id = options["id"]
        try:
            key = auth.key_get(key_id)
            is_new = auth.key_revoke(key_id, author=auth.COMMAND)
        except GymError as error:
            raise CommandError(error.message) from None
        state = "is revoked" if is_new else "was revoked before"
        self.stdout.write(f"The key {key_id} ({key.name!r}, {key.prefix}...) {state}.")
