"""A plan's report and its runs on the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping

from palaestra.api import Client
from palaestra.errors import PalaestraError
from palaestra.evaluation.arms import PlannedArm
from palaestra.evaluation.cells import Series, series_of
from palaestra.evaluation.plan import Plan, plan_sha256, plans_differ
from palaestra.evaluation.standstill import Standstill
from palaestra.paging import rows_read
from palaestra.records import Report, Run
from palaestra.run_plan import RunPlan, run_find

POLL_S = 1.0
NAME_CHARS = 200


async def report_find(client: Client, plan: Plan) -> Report | None:
    """The report of the plan, if any. Raises ``PalaestraError`` if one of its name has another plan."""
    async for known in _named(client, plan.name):
        if known.plan_sha256 == plan_sha256(plan):
            return known
        differing = plans_differ(known.plan, plan.as_json())
        if not differing:
            return known
        raise PalaestraError(
            f'Report {known.id} is named "{plan.name}", and its plan differs in: {", ".join(differing)}. '
            "Give this one another name (--name)."
        )
    return None


async def report_create(client: Client, plan: Plan) -> Report:
    """A new report of the plan."""
    made = await client.report_create(name=plan.name, plan=plan.as_json())
    return await client.report(made.id)


async def runs_find(client: Client, plans: Mapping[Series, RunPlan]) -> dict[Series, Run]:
    """The runs that there are. Raises ``PalaestraError`` if one was played with other settings."""
    runs = {series: await run_find(client, plan) for series, plan in plans.items()}
    return {series: run for series, run in runs.items() if run is not None}


def run_plans(
    plan: Plan,
    report: Report,
    *,
    model: str,
    model_note: str = "",
    planted: Callable[[PlannedArm], float] | None = None,
) -> dict[Series, RunPlan]:
    """The runs of the plan; ``planted`` is what a simulated policy solves in an arm, None for a model."""
    return {
        series: run_plan_of(plan, series, report, model=model, model_note=model_note, planted=planted)
        for series in series_of(plan)
    }


def run_plan_of(
    plan: Plan,
    series: Series,
    report: Report,
    *,
    model: str,
    model_note: str = "",
    planted: Callable[[PlannedArm], float] | None = None,
) -> RunPlan:
    """The run of one series. All arms have the same seed, and with it the same wording of the instruction."""
    ending = f" [{report.id}] {series}"
    return RunPlan(
        name=plan.name[: NAME_CHARS - len(ending)] + ending,
        model=model,
        checkpoint=plan.model.checkpoint or "",
        benchmark=series.benchmark,
        split=next(one.split for one in plan.benchmarks if one.slug == series.benchmark),
        arm=series.planned.arm,
        config=plan.config_of(series.planned),
        sampling=plan.model.sampling,
        answer_check=plan.answer_check,
        seed=plan.seed,
        model_note=model_note,
        report=report.id,
        retest=series.retest,
        simulated=planted is not None,
        planted_accuracy=planted(series.planned) if planted else None,
    )


async def report_computed(client: Client, report: int, write: Callable[[str], None]) -> Report:
    """Ask for the report's computation and wait for it; ``write`` is given a line if nobody computes it.

    Raises ``PalaestraError`` if it failed, or if it stands still for long.
    """
    await client.report_compute(report)
    standstill = Standstill(write)
    while True:
        state = await client.report(report)
        if state.state == "failed":
            raise PalaestraError(f"The report could not be computed: {state.problem} {state.url}")
        if state.state == "ready":
            return state
        standstill.look(state)
        await asyncio.sleep(POLL_S)


async def _named(client: Client, name: str) -> AsyncIterator[Report]:
    """The newest report of a name, with its plan."""
    async for summary in rows_read(client.reports):
        if summary.name == name:
            yield await client.report(summary.id)
