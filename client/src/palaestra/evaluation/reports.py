"""The report and the runs of a plan on the server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping

from palaestra.api import Client
from palaestra.api.calls import rows_read
from palaestra.errors import PalaestraError
from palaestra.evaluation.cells import Series, list_series
from palaestra.evaluation.plan import Plan, PlannedArm, find_differences, plan_sha256
from palaestra.records import Report, Run
from palaestra.run.plan import RunPlan, run_find

POLL_S = 1.0
NAME_CHARS = 200
# Seconds without progress before the user is told, by state; a large report may take a worker a minute.
REPORTED_AFTER_S = {"waiting": 20.0, "computing": 90.0}
# After this time, the server has certainly requeued a report whose worker died.
GIVEN_UP_AFTER_S = 600.0
WHAT_TO_DO = (
    "Check whether the worker of the queue `facts` is running (worker-facts, a process of `manage.py up` or "
    "a service of docker compose), and read its log. The report is computed as soon as a worker runs, "
    "whether or not this command waits for it."
)


async def report_find(client: Client, plan: Plan) -> Report | None:
    """Return the plan's report, if any. Raises ``PalaestraError`` if another plan has the same name."""
    async for known in _find_named(client, plan.name):
        if known.plan_sha256 == plan_sha256(plan):
            return known
        differing = find_differences(known.plan, plan.as_json())
        if not differing:
            return known
        raise PalaestraError(
            f'Report {known.id} is named "{plan.name}", and its plan differs in: {", ".join(differing)}. '
            "Give this one another name (--name)."
        )
    return None


async def report_create(client: Client, plan: Plan) -> Report:
    """Create a report for the plan and return it."""
    created = await client.report_create(name=plan.name, plan=plan.as_json())
    return await client.report(created.id)


async def runs_find(client: Client, plans: Mapping[Series, RunPlan]) -> dict[Series, Run]:
    """Return the runs that already exist. Raises ``PalaestraError`` if one has different settings."""
    runs = {series: await run_find(client, plan) for series, plan in plans.items()}
    return {series: run for series, run in runs.items() if run is not None}


def build_run_plans(
    plan: Plan,
    report: Report,
    *,
    model: str,
    model_note: str = "",
    planted: Callable[[PlannedArm], float] | None = None,
) -> dict[Series, RunPlan]:
    """Build the runs of a plan; ``planted`` returns a simulated policy's accuracy in an arm."""
    return {
        series: build_run_plan(plan, series, report, model=model, model_note=model_note, planted=planted)
        for series in list_series(plan)
    }


def build_run_plan(
    plan: Plan,
    series: Series,
    report: Report,
    *,
    model: str,
    model_note: str = "",
    planted: Callable[[PlannedArm], float] | None = None,
) -> RunPlan:
    """Build the run of one series; all arms share a seed, and therefore the wording of the instruction."""
    ending = f" [{report.id}] {series}"
    return RunPlan(
        name=plan.name[: NAME_CHARS - len(ending)] + ending,
        model=model,
        checkpoint=plan.model.checkpoint or "",
        benchmark=series.benchmark,
        split=next(each.split for each in plan.benchmarks if each.slug == series.benchmark),
        arm=series.planned.arm,
        config=plan.build_config(series.planned),
        sampling=plan.model.sampling,
        answer_check=plan.answer_check,
        seed=plan.seed,
        model_note=model_note,
        report=report.id,
        retest=series.retest,
        simulated=planted is not None,
        planted_accuracy=planted(series.planned) if planted else None,
    )


async def report_compute(client: Client, report: int, write: Callable[[str], None]) -> Report:
    """Compute a report and return it; ``write`` gets a message for the user if no worker starts on it.

    Raises ``PalaestraError`` if the computation fails, or makes no progress for a long time.
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


async def _find_named(client: Client, name: str) -> AsyncIterator[Report]:
    """Yield the reports with this name, newest first, with their plans."""
    async for summary in rows_read(client.reports):
        if summary.name == name:
            yield await client.report(summary.id)


class Standstill:
    """A watch on a report's progress; ``write`` gets a message for the user if there is none for a while."""

    def __init__(self, write: Callable[[str], None], now: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._now = now
        self._last: tuple[str, float] | None = None
        self._since = now()
        self._is_reported = False

    def look(self, report: Report) -> None:
        """Check a report's new state. Raises ``PalaestraError`` if it has made no progress for too long."""
        if self._last != (report.state, report.progress):
            self._last, self._since, self._is_reported = (report.state, report.progress), self._now(), False
        seconds = self._now() - self._since
        message = f"Report {report.id} is {report.state}, without progress for {seconds:.0f} s. {WHAT_TO_DO}"
        if seconds >= GIVEN_UP_AFTER_S:
            raise PalaestraError(f"{message} {report.url}")
        if not self._is_reported and seconds >= REPORTED_AFTER_S.get(report.state, 0.0):
            self._is_reported = True
            self._write(message)
