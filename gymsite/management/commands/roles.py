from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from core.errors import GymError
from gymsite.services import preparation, secrets


class Command(BaseCommand):
    help = (
        "Create the database roles and grant what gymsite/roles.sql says; run it after migrate, as the owner."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            secrets.ensure_all(settings.VAR_DIR)
            preparation.roles_apply(connection, var_dir=settings.VAR_DIR)
        except GymError as error:
            raise CommandError(error.message) from None
