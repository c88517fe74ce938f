from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from core.commands import GymCommand
from gymsite.services.backups import restoration


class Command(GymCommand):
    help = "Restore a backup made by `manage.py backup` into an empty VAR_DIR and database."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="DIR", type=Path)
        parser.add_argument(
            "--replace",
            action="store_true",
            help="move the data in VAR_DIR aside, and drop the tables of DATABASE_URL's database",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            read = restoration.backup_restore(
                options["folder"].resolve(),
                var_dir=settings.VAR_DIR,
                database_url=os.environ.get("DATABASE_URL", ""),
                is_replacing=options["replace"],
                say=self.stdout.write,
            )
        except OSError as error:
            raise CommandError(f"The backup could not be restored: {error}") from None
        if read.outside:
            self.stderr.write(
                f"Restore these settings yourself, since the backup lacks them: {', '.join(read.outside)}."
            )
        self.stdout.write(f"The backup of {read.made_at} is restored: start with `make up`.")
