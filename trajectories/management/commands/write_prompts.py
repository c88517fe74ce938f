"""The command that writes ``docs/prompts.md``, which shows every prompt that models are sent."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from trajectories.record.prompts import document


class Command(BaseCommand):
    help = (
        "Write docs/prompts.md with the prompt of every combination of arm, observation, grammar and so on."
    )

    def handle(self, **_options: Any) -> None:
        path = settings.BASE_DIR / "docs" / "prompts.md"
        path.write_text(document.page(), encoding="utf-8")
        self.stdout.write(f"Wrote {path}.")
