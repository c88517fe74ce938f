from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from trajectories.models.access import ApiKey
from trajectories.record.api import auth

HEAD = ("id", "name", "key", "scopes", "splits", "project", "created", "last used", "revoked")


class Command(BaseCommand):
    help = "List the API keys with their beginnings; the keys themselves are not stored."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--all", action="store_true", help="also list revoked keys")

    def handle(self, *_args: Any, **options: Any) -> None:
        listed = auth.key_list() if options["all"] else auth.key_list().filter(revoked_at=None)
        rows = [HEAD, *map(_row, listed)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for line in _lines(rows, widths):
            self.stdout.write(line)


def _row(key: ApiKey) -> tuple[str, ...]:
    words = (", ".join(key.scopes), ", ".join(key.splits) or "all", key.project)
    times = map(_time, (key.created_at, key.used_at, key.revoked_at))
    return (str(key.pk), repr(key.name)[1:-1], f"{key.prefix}...", *words, *times)


def _time(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M}" if moment else "-"


def _lines(rows: list[tuple[str, ...]], widths: list[int]) -> Iterator[str]:
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
