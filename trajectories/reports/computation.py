"""Computes a report: reads its benchmarks one after another, then estimates."""

from __future__ import annotations

from typing import Any

from django.db.models.functions import Now

from trajectories.models import Report, Run
from trajectories.record.due_work import Progress
from trajectories.reports import selectors
from trajectories.reports.accuracy_tables import accuracy_table, pass_table
from trajectories.reports.analysis import Analysis
from trajectories.reports.arm_data import BenchmarkData
from trajectories.reports.cover_table import cover_tables
from trajectories.reports.deviation_table import deviation_table
from trajectories.reports.discordance_table import discordance_table
from trajectories.reports.episode_rows import episode_rows
from trajectories.reports.gap_tables import gap_tables
from trajectories.reports.item_table import item_table
from trajectories.reports.look_tables import look_tables
from trajectories.reports.loss_tables import loss_classes, loss_tables, lost_read
from trajectories.reports.missing_facts import facts_complete
from trajectories.reports.plan import plan_read
from trajectories.reports.planted_table import planted_table
from trajectories.reports.reading_tables import reading_tables
from trajectories.reports.setup_table import setup_table
from trajectories.reports.tables import LOSSES, table_record
from trajectories.reports.thought_table import thought_table
from trajectories.reports.tool_tables import tool_tables
from trajectories.reports.version_table import version_table

# Of the progress, reading the benchmarks takes so many parts, and what is estimated from them one.
PARTS = 4


def report_compute(report: Report, progress: Progress) -> dict[str, Any]:
    """Return the columns of a computed report."""
    runs = selectors.report_runs(report.pk)
    basis = selectors.verdict_counts([run.pk for run in runs])
    return {"result": _result(report, runs, progress), "basis": basis, "computed_at": Now()}


def _result(report: Report, runs: list[Run], progress: Progress) -> dict[str, Any]:
    plan = plan_read(report.plan)
    benchmarks = [benchmark["slug"] for benchmark in plan["benchmarks"]]
    by_id = {run.pk: run for run in runs}
    facts_complete(by_id)
    run_ids = selectors.runs_by_benchmark(by_id)
    analyses = []
    progress(0, 1)
    for number, benchmark in enumerate(benchmarks, 1):
        rows = episode_rows(run_ids.get(benchmark, ()), benchmark=benchmark)
        data = BenchmarkData(rows, planned=plan["arms"])
        analyses.append(Analysis(report.pk, plan, benchmark, data, by_id))
        progress(PARTS * number, (PARTS + 1) * len(benchmarks))
    lost = lost_read(analyses)
    tables = [
        accuracy_table(analyses),
        *gap_tables(analyses),
        *tool_tables(analyses),
        *cover_tables(analyses),
        version_table(analyses),
        thought_table(analyses),
        item_table(analyses),
        discordance_table(analyses),
        *reading_tables(analyses),
        *loss_tables(lost),
        *look_tables(analyses),
        pass_table(analyses),
        setup_table(analyses),
        deviation_table(analyses),
    ]
    if planted := planted_table(analyses, tables):
        tables.insert(0, planted)
    return {"tables": [table_record(table) for table in tables], LOSSES: loss_classes(lost)}
