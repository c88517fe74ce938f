"""``manage.py check_guesses SITE``: how often answers can be guessed without looking at the mock site."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from tasks_app.sites import lanes
from tasks_app.sites.drafts import PlacedTask
from tasks_app.worlds import registry
from validation.sites import guesses
from validation.sites.command import SiteCheck


class Command(SiteCheck):
    help = (
        "Draw tasks of a mock site and print, by family, how often a cheat is right: the commonest answer, a "
        "constant, a linear model of the wording, 'it cannot be done', or the count of the site's own search."
    )
    looking = "looking"

    def handle(self, **options: Any) -> None:
        arguments = {name: options[name] for name in ("count", "seed", "split")}
        drawn = lanes.tasks_draw(options["site"], salt=settings.WORLD_SALT, with_scope=False, **arguments)
        searched = [_searched(placed) for placed in drawn]
        measured = guesses.measure([placed.task for placed in drawn], searched=searched)
        self.report(measured, guesses.table, least=options["least"])


def _searched(placed: PlacedTask) -> str | None:
    """Return the count of the site's own search for a task that asks for a count; None for other tasks."""
    count_of = registry.worlds.get(placed.world.site).searched
    if count_of is None or not placed.task.answer[0].isdigit():
        return None
    return count_of(placed.world.open(changes=placed.task.changes), placed.task.given)
