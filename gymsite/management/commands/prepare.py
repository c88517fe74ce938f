from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connection

from gymsite.services import preparation


class Command(BaseCommand):
    help = "Bring a database up to date: tables, roles, starter tasks, a first login and key."
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        preparation.migrations_apply()
        preparation.roles_apply(connection, var_dir=settings.VAR_DIR)
        for line in preparation.first_things():
            self.stdout.write(line)
