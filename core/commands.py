"""Base class of the management commands."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.errors import GymError


class GymCommand(BaseCommand):
    """Management command that reports a ``GymError`` by its message instead of a traceback."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command, and turn a ``GymError`` into a ``CommandError``."""
        try:
            return super().execute(*args, **options)
        except GymError as error:
            raise CommandError(error.message) from None
