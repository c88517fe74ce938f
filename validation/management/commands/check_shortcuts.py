"""``manage.py check_shortcuts SITE``: how often pages reveal an answer without being read."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from validation.sites import shortcuts
from validation.sites.command import SiteCheck


class Command(SiteCheck):
    help = (
        "Draw tasks of a mock site, visit its pages, and print by family how often random clicks submit a "
        "right answer, and how often one rule picks the right number from the first page about the subject."
    )
    looking = "reading"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--walks", type=int, metavar="N", help="Tasks of each family to click through (default: all)."
        )

    def handle(self, **options: Any) -> None:
        arguments = {name: options[name] for name in ("split", "count", "seed", "walks")}
        measured = shortcuts.measure(options["site"], **arguments)
        self.report(measured, shortcuts.table, least=options["least"])
