from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.storage import blobs
from trajectories.record.blobs.damage import damage_list

WORDS = {
    "missing": "is missing",
    "other_size": "has {stored:,} of {size:,} bytes",
    "other_bytes": "has content that does not match its name",
}


class Command(BaseCommand):
    help = (
        "Report uploaded blobs and recordings whose files are missing or damaged. The next upload replaces a"
        " file that is missing or has the wrong size."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--contents", action="store_true", help="also read and hash every file (slow)")
        parser.add_argument(
            "--delete",
            action="store_true",
            help="delete damaged files, so that the next upload also replaces those of the right size",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        count = 0
        for damage in damage_list(with_contents=options["contents"]):
            count += 1
            words = WORDS[damage.problem].format(stored=damage.stored, size=damage.size)
            self.stdout.write(f"{damage.storage}: {damage.sha256} {words}")
            if options["delete"] and damage.problem != "missing":  # a missing file may still be arriving
                blobs.blob_delete(damage.sha256, storage=damage.storage)
        if count:
            raise CommandError(f"{count:,} files are missing or damaged.")
        self.stdout.write("Every file is there.")
