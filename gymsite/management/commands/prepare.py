from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.db import connection

from core.commands import GymCommand
from gymsite.services import buckets, preparation


class Command(GymCommand):
    help = "Bring a database up to date: tables, roles, starter tasks, a first login and key."
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        buckets.buckets_check(os.environ)
        if settings.DATABASE_DIRECT_URL:
            preparation.database_use(settings.DATABASE_DIRECT_URL)
        with preparation.prepare_alone(self.stdout.write):
            preparation.migrations_apply()
            preparation.roles_apply(connection, var_dir=settings.VAR_DIR)
            for line in preparation.first_things():
                self.stdout.write(line)
