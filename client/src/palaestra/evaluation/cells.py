"""The cells of an evaluation, which are all the episodes that a plan needs, in the order of play."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palaestra.evaluation.looks import Look, assign_looks, look_digest
from palaestra.evaluation.plan import Plan, PlannedArm
from palaestra.protocol.arms import Arm, arm_of
from palaestra.protocol.looks import PageKind, axes_of
from palaestra.records import Task
from palaestra.run.plan import SITE


@dataclass(frozen=True, kw_only=True)
class Series:
    """The content of one run, which is a benchmark in an arm; a ``retest`` repeats it with other draws."""

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
    """An episode of the plan: sample number ``sample`` of a task.

    ``look`` is an index into the plan's looks, or None if there is no page; ``digest`` is the server's hash
    of the look.
    """

    series: Series
    task: int
    sample: int
    look: int | None = None
    digest: str = ""


def list_series(plan: Plan) -> list[Series]:
    """List the runs of a plan; the first text arm may be played a second time, as a retest."""
    arms = plan.planned_arms
    series = [Series(benchmark=benchmark.slug, planned=arm) for benchmark in plan.benchmarks for arm in arms]
    again = next((arm for arm in arms if not arm_of(arm.arm).has_page), None)
    if plan.retest and again is not None:
        series += [
            Series(benchmark=benchmark.slug, planned=again, retest=True) for benchmark in plan.benchmarks
        ]
    return series


def find_page_kind(task: Task) -> PageKind:
    """Return the kind of page that shows a task."""
    return "site" if task.kind == SITE else "question"


def build_presentation(look: Look, page: PageKind) -> dict[str, object]:
    """Return a look in the form in which the API opens episodes, with only the axes that the page has."""
    return {name: look[name] for name in axes_of(page)}


def cells_make(plan: Plan, tasks: Mapping[int, Task]) -> list[list[Cell]]:
    """Return the cells of each item, in an order drawn by the plan's seed.

    Both the items and the cells of each item are shuffled. This interleaves the arms in time, so that an
    endpoint that changes during the run does not look like a gap.
    """
    looks, items = plan.all_looks, []
    for benchmark in plan.benchmarks:
        ids = [task for task in benchmark.task_ids if task in tasks]
        assigned = assign_looks(len(looks), samples=plan.samples, items=len(ids), seed=plan.seed)
        series = [each for each in list_series(plan) if each.benchmark == benchmark.slug]
        for task, indexes in zip(ids, assigned, strict=True):
            digests = [look_digest(looks[index], find_page_kind(tasks[task])) for index in indexes]
            items.append(_make_cells(series, task, indexes, digests))
    rng = random.Random(f"{plan.seed}:order")
    for cells in items:
        rng.shuffle(cells)
    rng.shuffle(items)
    return items


def _make_cells(
    all_series: Sequence[Series], task: int, looks: Sequence[int], digests: Sequence[str]
) -> list[Cell]:
    return [
        Cell(series=series, task=task, sample=sample, look=look, digest=digest)
        if series.arm.has_page
        else Cell(series=series, task=task, sample=sample)
        for series in all_series
        for sample, (look, digest) in enumerate(zip(looks, digests, strict=True))
    ]
