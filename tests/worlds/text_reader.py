"""Tasks of a site's reading families, each with its world, for tests of the site's text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from core.draws import Draws
from tasks_app.families import registry
from tasks_app.families.types import LEVELS, Family, SiteTask
from tasks_app.worlds.registry import TextView, worlds
from tasks_app.worlds.registry import discover as worlds_discover

DAYS = (date(2027, 3, 1), date(2028, 2, 20), date(2026, 12, 31))
TRIES = 6
READING = {
    "reviews": (
        "count_conditions",
        "count_mentions",
        "mean_rating",
        "mention_when",
        "most_helpful_mention",
        "most_of_five",
    ),
    "stays": (
        "cheapest_with_without",
        "first_free_stretch",
        "latest_free_cancellation",
        "missing_amenities",
        "total_price",
    ),
}
"""The families whose tasks are answered by reading alone."""

registry.discover()
worlds_discover()


@dataclass(frozen=True)
class Case:
    """A task, its world (changed for an impossible twin) and the site's text view."""

    world: Any
    task: SiteTask
    text_view: TextView

    @property
    def scope(self) -> dict[str, Any]:
        return self.text_view.scope_of(self.world, self.task.given)

    def text(self) -> str:
        return "\n\n".join(self.text_view.render(self.world, self.scope))


@cache
def tasks(site: str) -> tuple[Case, ...]:
    """Return tasks of every family and level in three worlds, with impossible twins if there are any."""
    cases = []
    for family in registry.list_families(site):
        for number, day in enumerate(DAYS):
            of = _open(family, number, day)
            for level in LEVELS:
                cases += _cases(family, of, number, day, level)
    return tuple(cases)


def of_family(site: str, family: str) -> list[Case]:
    return [one for one in tasks(site) if one.task.family == family]


def _open(family: Family[Any], number: int, day: date, changes: Any = ()) -> Any:
    edition = "train" if "train" in family.splits and number % 2 == 0 else "test"
    key = f"told {family.id} {number}".encode()
    return worlds.get(family.site).open_world(key, edition=edition, first_day=day, changes=changes)


def _cases(family: Family[Any], of: Any, number: int, day: date, level: int) -> list[Case]:
    text_view = worlds.get(family.site).text_view
    assert text_view is not None
    drawn = (family.draw(of, Draws("told", number, level, place), level) for place in range(TRIES))
    task = next((one for one in drawn if one is not None), None)
    if task is None:
        return []
    twin = family.twin(of, task) if family.twin else None
    if twin is None:
        return [Case(of, task, text_view)]
    changed = _open(family, number, day, twin.changes)
    return [Case(of, task, text_view), Case(changed, twin, text_view)]
