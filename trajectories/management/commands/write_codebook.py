from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from trajectories.annotation.codebook import document


class Command(BaseCommand):
    help = "Write the codebook of annotation into docs/annotation.md, where people read it."
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        document.PAGE.write_text(document.page_with_codebook(), encoding="utf-8")
