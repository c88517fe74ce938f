"""Balanced drawing of one lane's tasks: families and levels equally often, up to twenty tasks per world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from core.draws import Draws
from tasks_app.families.types import LEVELS, Family, SiteTask
from tasks_app.sites.drafts import PlacedTask
from tasks_app.sites.worlds import SiteWorld

WORLD_TASKS = 20
TASK_DRAWS = 3
MAX_IMPOSSIBLE = 0.1
"""Maximum share of impossible tasks in a family."""

Pair = tuple[Family[Any], int]
"""A family and a level."""
Placing = Callable[[SiteTask, SiteWorld, Any], PlacedTask]
"""Places a task, given the task, the ``SiteWorld`` it is about, and the opened world."""


@dataclass(kw_only=True)
class Balance:
    """The tasks drawn so far, all distinct and at most ``count``."""

    pairs: list[Pair]
    count: int
    placing: Placing
    placed: list[PlacedTask] = field(default_factory=list)
    _counts: Counter[tuple[str, int]] = field(default_factory=Counter)
    _impossible: Counter[str] = field(default_factory=Counter)
    _seen: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)

    @property
    def missing(self) -> int:
        return self.count - len(self.placed)

    def world_draw(self, where: SiteWorld) -> None:
        """Add up to ``WORLD_TASKS`` tasks about one world, and impossible twins of some of them."""
        world = where.open()
        draws = Draws(where.key, "tasks")
        for slot in range(WORLD_TASKS):
            for family, level in self._rarest():
                if not self.missing:
                    return
                task = task_draw(world, draws.at(family.id, level, slot), family, level)
                if task and self._add_with_twin(task, family, where, world):
                    break

    def _rarest(self) -> list[Pair]:
        return sorted(self.pairs, key=lambda pair: self._counts[pair[0].id, pair[1]])

    def _add_with_twin(self, task: SiteTask, family: Family[Any], where: SiteWorld, world: Any) -> bool:
        """Add a task, and its impossible twin if there is room for both."""
        placed = self.placing(task, where, world)
        twin = self._twin(task, family, world)
        if twin is None:
            return self._add(placed)
        is_added = self._add(replace(placed, task=replace(task, twin=twin.twin)))
        return is_added and self._add(replace(placed, task=twin))

    def _twin(self, task: SiteTask, family: Family[Any], world: Any) -> SiteTask | None:
        total = sum(self._counts[family.id, level] for level in LEVELS)
        is_within = self._impossible[family.id] + 1 <= MAX_IMPOSSIBLE * (total + 2)
        if family.twin is None or self.missing < 2 or not is_within:
            return None
        twin = family.twin(world, task)
        return twin if twin and twin.oracle_steps <= family.steps[task.level - 1] else None

    def _add(self, placed: PlacedTask) -> bool:
        task = placed.task
        if (task.wording, task.answer) in self._seen:
            return False
        self._seen.add((task.wording, task.answer))
        self.placed.append(placed)
        self._counts[task.family, task.level] += 1
        self._impossible[task.family] += not task.is_possible
        return True


def task_draw(world: Any, draws: Draws, family: Family[Any], level: int) -> SiteTask | None:
    """Draw a task within the steps that its family declares for the level; None after a few tries."""
    tries = (family.draw(world, draws.at(number), level) for number in range(TASK_DRAWS))
    steps = family.steps[level - 1]
    return next((task for task in tries if task is not None and task.oracle_steps <= steps), None)
