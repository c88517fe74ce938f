from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import connection

from core.commands import GymCommand
from gymsite.services import preparation, secrets


class Command(GymCommand):
    help = "Create the database roles with the grants in gymsite/roles.sql. Run as the owner, after migrate."

    def handle(self, *_args: Any, **_options: Any) -> None:
        secrets.ensure_all(settings.VAR_DIR)
        preparation.roles_apply(connection, var_dir=settings.VAR_DIR)
