"""The cells of an evaluation: every episode that a plan asks for, in the order in which they are played."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palaestra.evaluation.arms import PlannedArm
from palaestra.evaluation.looks import Look, look_digest, look_places
from palaestra.evaluation.plan import Plan
from palaestra.protocol.arms import Arm, arm_of
from palaestra.protocol.looks import PageKind, axes_of
from palaestra.records import Task
from palaestra.run_plan import SITE


@dataclass(frozen=True, kw_only=True)
class Series:
    """What one run plays: a benchmark in an arm. ``retest``: for the second time, with other draws."""

    benchmark: str
    planned: PlannedArm
    retest: bool = False

    def __str__(self) -> str:
        return f"{self.benchmark} {self.planned}{' retest' if self.retest else ''}"

    @property
    def arm(self) -> Arm:
        return arm_of(self.planned.arm)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One episode: sample ``sample`` of a task. ``look`` is its place among the plan's looks, None without a
    page; ``digest`` is what the server calls that look."""

    series: Series
    task: int
    sample: int
    look: int | None = None
    digest: str = ""


def series_of(plan: Plan) -> list[Series]:
    """The runs of a plan; the first text arm is the one that is played again."""
    arms = plan.arms_planned
    series = [Series(benchmark=one.slug, planned=arm) for one in plan.benchmarks for arm in arms]
    again = next((arm for arm in arms if not arm_of(arm.arm).has_page), None)
    if plan.retest and again is not None:
        series += [Series(benchmark=one.slug, planned=again, retest=True) for one in plan.benchmarks]
    return series


def page_kind(task: Task) -> PageKind:
    """The kind of page that shows a task."""
    return "site" if task.kind == SITE else "question"


def presentation_of(look: Look, page: PageKind) -> dict[str, object]:
    """A look as the opening of episodes takes it."""
    return {name: look[name] for name in axes_of(page)}


def cells_make(plan: Plan, tasks: Mapping[int, Task]) -> list[list[Cell]]:
    """The cells of each item, items and the cells of each in an order drawn by the plan's seed: arms are
    interleaved in time, so that an endpoint that changes during the run does not look like a gap."""
    looks, items = plan.looks_made, []
    for benchmark in plan.benchmarks:
        ids = [task for task in benchmark.task_ids if task in tasks]
        places = look_places(len(looks), samples=plan.samples, items=len(ids), seed=plan.seed)
        series = [one for one in series_of(plan) if one.benchmark == benchmark.slug]
        for task, taken in zip(ids, places, strict=True):
            digests = [look_digest(looks[place], page_kind(tasks[task])) for place in taken]
            items.append(_item_cells(series, task, taken, digests))
    rng = random.Random(f"{plan.seed}:order")
    for cells in items:
        rng.shuffle(cells)
    rng.shuffle(items)
    return items


def _item_cells(
    series: Sequence[Series], task: int, places: Sequence[int], digests: Sequence[str]
) -> list[Cell]:
    return [
        Cell(series=one, task=task, sample=sample, look=place, digest=digest)
        if one.arm.has_page
        else Cell(series=one, task=task, sample=sample)
        for one in series
        for sample, (place, digest) in enumerate(zip(places, digests, strict=True))
    ]
