from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from core.commands import GymCommand
from gymsite.services.backups import creation


class Command(GymCommand):
    help = (
        "Back up database, secrets and files into a folder, whether or not the installation is running."
        " A second backup into the same folder copies only new files."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="DIR", type=Path)

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            manifest = creation.backup_make(
                options["folder"].resolve(),
                var_dir=settings.VAR_DIR,
                database_url=os.environ.get("DATABASE_URL", ""),
                say=self.stdout.write,
            )
        except OSError as error:
            raise CommandError(f"The backup could not be written: {error}") from None
        self.stdout.write(
            f"database: {sum(manifest.rows.values()):,} rows, {manifest.database.bytes:,} bytes"
        )
        for name, stored in manifest.storages.items():
            self.stdout.write(f"{name}: {stored.count:,} files, {stored.bytes:,} bytes")
            if stored.missing:
                self.stderr.write(
                    f"{stored.missing:,} files of {name} are gone or damaged, and so are not in the backup: "
                    "`manage.py check_blobs --contents` names them."
                )
        if manifest.outside:
            self.stderr.write(
                f"Not in the backup, since the environment sets them: {', '.join(manifest.outside)}."
            )
        self.stdout.write(f"The backup in {options['folder']} is complete.")
