"""Parallel drawing of many tasks. The same arguments give the same tasks on any number of processors.

A lane consists of up to ``LANE_TASKS`` tasks that are drawn one after another, each taking the earlier ones
into account. Lanes are drawn in parallel, each in its own worlds.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial

from core.work import child_processes
from tasks_app.families.registry import discover, list_families
from tasks_app.families.types import LEVELS
from tasks_app.sites.balance import Balance
from tasks_app.sites.drafts import PlacedTask, task_place
from tasks_app.sites.worlds import split_world
from tasks_app.worlds import registry

LANE_TASKS = 1_000
# The drawing stops after this many consecutive worlds, or rounds of lanes, without a new task.
MAX_BARREN_WORLDS = 50
MAX_BARREN_ROUNDS = 5


@dataclass
class _Union:
    """The tasks of all lanes without duplicates."""

    placed: list[PlacedTask] = field(default_factory=list)
    _seen: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)

    def add(self, lane: Iterable[PlacedTask]) -> int:
        """Add the new tasks and return their number. A task and its twin are added together or not at all."""
        before = len(self.placed)
        for _, group in itertools.groupby(lane, key=lambda placed: placed.task.twin or id(placed)):
            tasks = list(group)
            keys = {(placed.task.wording, placed.task.answer) for placed in tasks}
            if keys.isdisjoint(self._seen):
                self._seen |= keys
                self.placed += tasks
        return len(self.placed) - before


def tasks_draw(
    site: str,
    *,
    count: int,
    seed: int,
    split: str,
    salt: bytes,
    with_scope: bool = True,
    pool: Executor | None = None,
) -> list[PlacedTask]:
    """Draw up to ``count`` tasks of one split, or fewer if worlds yield nothing new.

    Without ``with_scope``, the length of each task's text is not measured, which saves a fifth of the time.
    """
    draw = partial(_lane_draw, site, seed=seed, split=split, salt=salt, with_scope=with_scope)
    union = _Union()
    lanes = itertools.count()
    barren = 0
    with nullcontext(pool) if pool else workers(count) as executor:
        while (missing := count - len(union.placed)) > 0 and barren < MAX_BARREN_ROUNDS:
            sizes = [min(LANE_TASKS, missing - before) for before in range(0, missing, LANE_TASKS)]
            drawn = [
                executor.submit(draw, count=size, lane=lane) for size, lane in zip(sizes, lanes, strict=False)
            ]
            barren = 0 if sum(union.add(lane.result()) for lane in drawn) else barren + 1
    return union.placed


def workers(count: int) -> AbstractContextManager[Executor]:
    """Start child processes if there is work for more than one."""
    return child_processes.start_executor() if count > LANE_TASKS else child_processes.InlineExecutor()


def _lane_draw(
    site: str, *, count: int, lane: int, seed: int, split: str, salt: bytes, with_scope: bool
) -> list[PlacedTask]:
    """Draw tasks that are balanced and distinct within the lane, from worlds that no other lane uses."""
    discover()
    registry.discover()
    families = [family for family in list_families(site) if split in family.splits]
    balance = Balance(
        pairs=[(family, level) for level in LEVELS for family in families],
        count=count,
        placing=task_place if with_scope else lambda task, where, _world: PlacedTask(task=task, world=where),
    )
    barren = worlds = 0
    while balance.missing and barren < MAX_BARREN_WORLDS:
        path = f"{seed}:{worlds}" if lane == 0 else f"{seed}:{worlds}:{lane}"
        before = balance.missing
        balance.world_draw(split_world(site, split=split, path=path, salt=salt))
        worlds += 1
        barren = 0 if balance.missing < before else barren + 1
    return balance.placed
