"""The items of an evaluation, which are the tasks that all of its arms can present."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from palaestra.api.calls import rows_read
from palaestra.api.client import PAGE_MAX, Client
from palaestra.errors import PalaestraError
from palaestra.evaluation.plan import Plan, PlannedArm
from palaestra.observation import get_format
from palaestra.protocol.arms import arm_of
from palaestra.records import Task
from palaestra.run.plan import tasks_missing

IDS_PER_CALL = 200
TOOLS = "tools"
"""The kind of tasks that are solved by calling tools."""


@dataclass(frozen=True, kw_only=True)
class Items:
    """The chosen tasks, and how many tasks were skipped before the last of them.

    ``ineligible`` counts tasks that cannot be compared across arms. ``unseen`` counts tasks with pictures
    that the model cannot see because it only gets outlines.
    """

    tasks: list[Task]
    ineligible: int
    unseen: int


async def items_choose(
    client: Client,
    *,
    benchmark: str,
    split: str | None,
    limit: int | None,
    arms: Sequence[PlannedArm],
    observation: str,
) -> Items:
    """Return the first ``limit`` tasks that all arms can present. Raises ``PalaestraError`` if none can."""
    is_blind = any(
        not arm_of(planned.arm).has_text and not get_format(planned.observation or observation).has_screenshot
        for planned in arms
    )
    tasks: list[Task] = []
    ineligible = unseen = 0
    async for task in rows_read(client.tasks_page, benchmark=benchmark, split=split, limit=PAGE_MAX):
        if limit is not None and len(tasks) >= limit:
            break
        is_unseen = is_blind and bool(task.payload.get("pictures"))
        ineligible += not task.gap_eligible
        unseen += is_unseen and task.gap_eligible
        if task.gap_eligible and not is_unseen:
            tasks.append(task)
    if not tasks and not ineligible + unseen:
        raise await tasks_missing(client, benchmark, split)
    if not tasks:
        raise PalaestraError(
            f"None of the tasks of {benchmark!r} can be compared across these arms: {ineligible:,} are not "
            f"eligible for a gap, {unseen:,} show pictures, which {observation} does not."
        )
    return Items(tasks=tasks, ineligible=ineligible, unseen=unseen)


async def pictures_check(client: Client, plan: Plan) -> None:
    """Raise ``PalaestraError`` if an arm shows questions as pictures but some items have no picture."""
    pictured = next((arm for arm in plan.planned_arms if arm_of(arm.arm).is_pictured), None)
    if pictured is None:
        return
    for benchmark in plan.benchmarks:
        drawn = await items_read(client, benchmark.task_ids, drawn="true")
        if undrawn := [task for task in benchmark.task_ids if task not in drawn]:
            raise PalaestraError(
                f"The arm {pictured} shows each question as a picture, and {len(undrawn):,} of "
                f"{len(benchmark.task_ids):,} items of {benchmark.slug!r} have none, the first of them task "
                f"{undrawn[0]}: run manage.py draw_questions {benchmark.slug}, which draws all but "
                "tables, programs and sites, or leave out the arm or the benchmark."
            )


async def tools_check(client: Client, plan: Plan) -> None:
    """Raise ``PalaestraError`` if a benchmark has tools but an arm has no turns in which to call them."""
    without = next((arm for arm in plan.planned_arms if arm_of(arm.arm).is_free_text), None)
    if without is None:
        return
    planned = {benchmark.slug for benchmark in plan.benchmarks}
    for benchmark in await client.benchmarks():
        if benchmark.id in planned and benchmark.kind == TOOLS:
            raise PalaestraError(
                f"The tasks of {benchmark.id!r} come with tools, and the arm {without} has no turns to call "
                "them in: name others, as --arms text_agent,gym_with_text,gym, or leave out the benchmark."
            )


async def items_read(client: Client, ids: Sequence[int], **filters: Any) -> dict[int, Task]:
    """Return those tasks, by id, that the server still has and that match the filters."""
    tasks: dict[int, Task] = {}
    for first in range(0, len(ids), IDS_PER_CALL):
        some = list(ids[first : first + IDS_PER_CALL])
        page = await client.tasks_page(ids=some, limit=IDS_PER_CALL, **filters)
        tasks |= {task.id: task for task in page.results}
    return tasks
