from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from core.errors import GymError
from gymsite.services import buckets, preparation


class Command(BaseCommand):
    help = "Bring a database up to date: tables, roles, starter tasks, a first login and key."
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            self._prepare()
        except GymError as error:
            raise CommandError(error.message) from None

    def _prepare(self) -> None:
        buckets.buckets_check(os.environ)
        if settings.DATABASE_DIRECT_URL:
            preparation.database_use(settings.DATABASE_DIRECT_URL)
        with preparation.prepare_alone(self.stdout.write):
            preparation.migrations_apply()
            preparation.roles_apply(connection, var_dir=settings.VAR_DIR)
            for line in preparation.first_things():
                self.stdout.write(line)
