"""The benchmark of a mock site: generated tasks with measured guess rates, and starter tasks that prove it.

The same count and seed give the same tasks within an installation but different tasks in another one, because
worlds depend on the installation's salt. This is the only plug-in that reads a setting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial

from django.conf import settings

from core.draws import Draws
from core.errors import GymError
from core.work import child_processes
from tasks_app import kinds
from tasks_app.families import cheats
from tasks_app.families.registry import TAG, discover, list_families
from tasks_app.sites.balance import task_draw
from tasks_app.sites.drafts import draft_make, task_place
from tasks_app.sites.lanes import tasks_draw, workers
from tasks_app.sites.worlds import site_world
from tasks_app.solutions import lines
from tasks_app.types import BenchmarkPlugin, Row, TaskDraft
from tasks_app.worlds.keys import PUBLIC_WORLD

SPLITS = ("train", "test")
# Number of tasks per family on which guess rates are measured, drawn with a seed that no command uses.
MEASURED_TASKS = 120
MEASURED_SEED = -1
RATE_DECIMALS = 4


def plugin(site: str, *, title: str, starters: tuple[str, ...]) -> BenchmarkPlugin:
    """Build a mock site's benchmark. One starter task from each family in ``starters`` proves it."""

    def generated(count: int, seed: int, split: str) -> Iterator[Row]:
        if split not in SPLITS:
            message = f"{site} has no split {split!r}. Its splits are {', '.join(SPLITS)}."
            raise GymError("unknown_split", message, status=422)
        return generate(site, count=count, seed=seed, split=split, salt=settings.WORLD_SALT)

    return BenchmarkPlugin(
        id=site,
        title=title,
        kind=kinds.SITE,
        license="Apache-2.0",
        source="made by this project",
        verifier_official="site_state-v1",
        splits=SPLITS,
        starters=partial(starters_draw, site, starters),
        generate=generated,
        has_guess_rates=True,
        example_tag=TAG,
        cut=lines.cut,
    )


def generate(site: str, *, count: int, seed: int, split: str, salt: bytes) -> Iterator[Row]:
    """Yield up to ``count`` tasks of a split, or fewer if worlds yield nothing new."""
    with workers(count) as pool:
        rates = pool.submit(guess_rates, site, split=split, salt=salt)
        drawn = tasks_draw(site, count=count, seed=seed, split=split, salt=salt, pool=pool)
        rate_of = rates.result()
    drafts = (draft_make(placed, split=split, guess_rate=rate_of[placed.task.family]) for placed in drawn)
    # Sort by hash, because in drawing order an impossible task would always follow its twin.
    for number, draft in enumerate(sorted(drafts, key=lambda drawn: drawn.key.rpartition("/")[2]), start=1):
        yield replace(draft, place=f"task {number}")


@lru_cache(maxsize=8)
def guess_rates(site: str, *, split: str, salt: bytes) -> Mapping[str, float]:
    """Measure for each family how often the best cheat is right.

    The tasks are drawn only for this measurement, so a family's rate does not depend on how many tasks are
    loaded. Cheats that look at pages (``check_shortcuts``) are right less often.
    """
    discover()
    drawn = tasks_draw(
        site,
        count=MEASURED_TASKS * sum(split in family.splits for family in list_families(site)),
        seed=MEASURED_SEED,
        split=split,
        salt=salt,
        with_scope=False,
        pool=child_processes.InlineExecutor(),
    )
    return {
        guesses.family: round(guesses.best, RATE_DECIMALS)
        for guesses in cheats.measure([placed.task for placed in drawn])
    }


def starters_draw(site: str, families: tuple[str, ...]) -> tuple[TaskDraft, ...]:
    """Draw a task from each family, about the world that is the same in every installation."""
    discover()
    where = site_world(site, number=PUBLIC_WORLD, edition="train", salt=b"")
    world = where.open()
    tasks = (
        task_draw(world, Draws(where.key, "samples", family.id), family, 1)
        for family in list_families(site)
        if family.id in families
    )
    return tuple(
        draft_make(task_place(task, where, world), split=None, place="starter") for task in tasks if task
    )
