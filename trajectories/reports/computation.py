"""The computation of a report, which reads its benchmarks one after another and then estimates its tables."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models.functions import Now

from trajectories.behaviour.facts import store
from trajectories.models import Report, Run
from trajectories.record.due_work import Progress
from trajectories.reports import selectors
from trajectories.reports.analysis import Analysis
from trajectories.reports.arm_data import BenchmarkData
from trajectories.reports.builtin.losses import loss_classes
from trajectories.reports.catalogue import tables_build
from trajectories.reports.episode_rows import episode_rows
from trajectories.reports.plan import plan_read
from trajectories.reports.tables import LOSSES, table_record

# Reading the benchmarks makes up this many parts of the progress, and estimation makes up one more.
PARTS = 4
# Missing facts are computed in batches of this size, for at most this many seconds. Tables report the rest.
FACTS_AT_ONCE, FACTS_SECONDS = 100, 90.0

logger = logging.getLogger(__name__)


def report_compute(report: Report, progress: Progress) -> dict[str, Any]:
    """Compute a report and return the columns to store."""
    runs = selectors.report_runs(report.pk)
    basis = selectors.verdict_counts([run.pk for run in runs])
    return {"result": _result(report, runs, progress), "basis": basis, "computed_at": Now()}


def _result(report: Report, runs: list[Run], progress: Progress) -> dict[str, Any]:
    plan = plan_read(report.plan)
    benchmarks = [benchmark["slug"] for benchmark in plan["benchmarks"]]
    by_id = {run.pk: run for run in runs}
    _facts_complete(by_id)
    run_ids = selectors.runs_by_benchmark(by_id)
    analyses = []
    progress(0, 1)
    for number, benchmark in enumerate(benchmarks, 1):
        rows = episode_rows(run_ids.get(benchmark, ()), benchmark=benchmark)
        data = BenchmarkData(rows, planned=plan["arms"])
        analyses.append(Analysis(report.pk, plan, benchmark, data, by_id))
        progress(PARTS * number, (PARTS + 1) * len(benchmarks))
    tables = [table_record(table) for table in tables_build(analyses)]
    return {"tables": tables, LOSSES: loss_classes(analyses)}


def _facts_complete(runs: Iterable[int], *, seconds: float = FACTS_SECONDS) -> None:
    """Compute the missing facts of these runs' ended episodes, for at most ``seconds``.

    Right after an evaluation, its last episodes have no facts yet.
    """
    until = time.monotonic() + seconds
    for episode in _lacking(runs):
        if time.monotonic() > until:
            return
        try:
            store.facts_compute([episode])
        except Exception:
            # One failure must not stop the other episodes or the report, which counts the missing facts.
            logger.exception("computing the facts of episode %s failed", episode)


def _lacking(runs: Iterable[int]) -> Iterator[int]:
    for run in runs:
        after = 0
        while ids := store.episodes_all(after=after, limit=FACTS_AT_ONCE, run=run, again=False):
            yield from ids
            after = ids[-1]
