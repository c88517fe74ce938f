"""Base of management commands."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.errors import GymError


class GymCommand(BaseCommand):
    """Command that a refusal ends with its message instead of a trace."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command. Raises ``CommandError`` for a ``GymError``."""
        try:
            return super().execute(*args, **options)
        except GymError as error:
            raise CommandError(error.message) from None
