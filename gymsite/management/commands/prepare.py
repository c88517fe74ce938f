from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from core.errors import GymError
from gymsite.services import preparation


class Command(BaseCommand):
    help = "Bring a database up to date: tables, roles, starter tasks, a first login and key."
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            preparation.migrations_apply()
            preparation.roles_apply(settings.VAR_DIR)
            for line in preparation.first_things():
                self.stdout.write(line)
        except GymError as error:
            raise CommandError(error.message) from error
