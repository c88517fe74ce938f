"""Base class of commands that draw tasks of a mock site and measure cheats on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tasks_app.worlds import registry
from validation.sites import guesses

COUNT = 1_000


class Measured(Protocol):
    """Measures of one family of tasks; ``exceeding`` names those that are over their limits."""

    @property
    def family(self) -> str: ...
    @property
    def tasks(self) -> int: ...
    @property
    def exceeding(self) -> Sequence[str]: ...


class SiteCheck(BaseCommand):
    """A command that measures each family, prints a table and fails if a family exceeds a limit.

    ``looking`` names what the cheats do without, such as "reading".
    """

    looking: ClassVar[str]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", metavar="SITE", choices=list(registry.worlds))
        parser.add_argument("--split", choices=("train", "test"), default="train")
        parser.add_argument("--count", type=int, metavar="N", default=COUNT, help="Tasks to draw.")
        parser.add_argument(
            "--least",
            type=int,
            metavar="N",
            default=guesses.LEAST_JUDGED,
            help="Judge only families with at least N tasks.",
        )
        parser.add_argument("--seed", type=int, metavar="K", default=0)

    def report(self, measured: Sequence[Measured], table: Callable[..., str], *, least: int) -> None:
        """Print the table. Raises ``CommandError`` if there are no tasks or a family exceeds a limit."""
        if not measured:
            raise CommandError("No task was drawn: set --count to at least 1.")
        self.stdout.write(table(measured, least=least))
        over = [family.family for family in measured if family.exceeding and family.tasks >= least]
        if over:
            raise CommandError(f"Right too often without {self.looking}: {', '.join(over)}.")
