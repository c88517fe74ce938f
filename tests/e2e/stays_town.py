"""The booking site's public world, and tasks in it."""

from __future__ import annotations

import itertools
from datetime import date
from functools import cache
from typing import Any

from playwright.sync_api import Page

from core.draws import Draws
from core.episodes.presentation import Look
from gymsite.oracle.stays import SOLVERS
from gymsite.oracle.stays_visitor import Visitor
from tasks_app.families.types import SiteTask
from tasks_app.worlds.keys import PUBLIC_WORLD, world_key
from tasks_app.worlds.stays.types import World
from tasks_app.worlds.stays.world import world as world_draw

FIRST_DAY = date(2027, 3, 1)
KEY = world_key(salt=b"", site="stays", number=PUBLIC_WORLD)


def world(first_day: date = FIRST_DAY) -> World:
    return world_draw(KEY, edition="train", first_day=first_day)


@cache
def task_of(module: Any, *, level: int, first_day: date = FIRST_DAY) -> SiteTask:
    """Return, among the first few tasks of the family, the one that takes the fewest moves."""
    town = world(first_day)
    drawn = (module.draw(town, Draws(b"e2e", level, number), level) for number in range(200))
    return min(itertools.islice(filter(None, drawn), 5), key=lambda task: task.oracle_steps)


def solve(
    page: Page, task: SiteTask, look: Look, *, first_day: date = FIRST_DAY, has_scripts: bool = True
) -> int:
    """Solve the task of the episode whose first page is open, and submit the answer.

    Returns the number of moves.
    """
    one = Visitor(page=page, look=look, town=world(first_day), has_scripts=has_scripts)
    one.arrive()
    one.submit(SOLVERS[task.family](one, task), task.fields)
    return one.moves
