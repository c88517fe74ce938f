"""The items of an evaluation: the tasks that every one of its arms can pose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from palaestra.api import PAGE_MAX, Client
from palaestra.errors import PalaestraError
from palaestra.evaluation.arms import PlannedArm
from palaestra.evaluation.plan import Plan
from palaestra.observation import format_of
from palaestra.paging import rows_read
from palaestra.protocol.arms import arm_of
from palaestra.records import Task
from palaestra.run_plan import tasks_missing

IDS_PER_CALL = 200
TOOLS = "tools"
"""The kind of tasks whose tools have to be called."""


@dataclass(frozen=True, kw_only=True)
class Items:
    """The tasks chosen, and how many of those before the last were left out: ``ineligible`` ones cannot be
    compared across arms, ``unseen`` ones show pictures to a model that is shown outlines alone."""

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
    """The first ``limit`` tasks that all arms can pose. Raises ``PalaestraError`` if there are none."""
    is_blind = any(
        not arm_of(one.arm).has_text and not format_of(one.observation or observation).has_screenshot
        for one in arms
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
    """Raise ``PalaestraError`` for items without a picture, where an arm shows questions as such."""
    pictured = next((arm for arm in plan.arms_planned if arm_of(arm.arm).is_pictured), None)
    if pictured is None:
        return
    for one in plan.benchmarks:
        drawn = await items_read(client, one.task_ids, drawn="true")
        if undrawn := [task for task in one.task_ids if task not in drawn]:
            raise PalaestraError(
                f"The arm {pictured} shows each question as a picture, and {len(undrawn):,} of "
                f"{len(one.task_ids):,} items of {one.slug!r} have none, the first of them task "
                f"{undrawn[0]}: run manage.py draw_questions {one.slug}, which draws all but tables, "
                "programs and sites, or leave out the arm or the benchmark."
            )


async def tools_check(client: Client, plan: Plan) -> None:
    """Raise ``PalaestraError`` for a benchmark of tools in an arm that has no turns to call them in."""
    without = next((arm for arm in plan.arms_planned if arm_of(arm.arm).is_free_text), None)
    if without is None:
        return
    planned = {one.slug for one in plan.benchmarks}
    for one in await client.benchmarks():
        if one.id in planned and one.kind == TOOLS:
            raise PalaestraError(
                f"The tasks of {one.id!r} come with tools, and the arm {without} has no turns to call them "
                "in: name others, as --arms text_agent,gym_with_text,gym, or leave out the benchmark."
            )


async def items_read(client: Client, ids: Sequence[int], **filters: Any) -> dict[int, Task]:
    """The tasks of a plan that the server still has, and that match the filters, by id."""
    tasks: dict[int, Task] = {}
    for first in range(0, len(ids), IDS_PER_CALL):
        some = list(ids[first : first + IDS_PER_CALL])
        page = await client.tasks_page(ids=some, limit=IDS_PER_CALL, **filters)
        tasks |= {task.id: task for task in page.results}
    return tasks
