from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from gymsite.core.errors import GymError
from gymsite.services import preparing


class Command(BaseCommand):
    help = "Bring a database up to date: tables, roles, starter tasks, a first login and key."
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            preparing.migrations_apply()
            preparing.roles_apply(settings.VAR_DIR)
            for line in preparing.first_things():
                self.stdout.write(line)
        except GymError as error:
            raise CommandError(error.message) from error
