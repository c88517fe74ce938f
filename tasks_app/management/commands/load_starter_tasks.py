"""``manage.py load_starter_tasks``: loads tasks for an installation without data."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tasks_app import loader


class Command(BaseCommand):
    help = "Load every benchmark's starter tasks into the split 'starter'. Running it again changes nothing."

    def handle(self, **options: Any) -> None:
        report = loader.starter_tasks_load()
        if report.bad:
            raise CommandError("\n".join(str(row) for row in report.bad))
        if options["verbosity"]:
            self.stdout.write(f"{report.total} starter tasks, {report.new} new, {report.changed} changed.")
