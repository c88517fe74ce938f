"""The catalogue of all report tables, in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trajectories.reports import builtin
from trajectories.reports.analysis import Analysis
from trajectories.reports.registry import TABLES, ReportTable
from trajectories.reports.tables import Table
from trajectories.shell.charts.drawing import Drawing

TABLES.discover(builtin)


def tables_build(analyses: Sequence[Analysis]) -> list[Table]:
    """Compute a report's tables from the ``analyses`` of its benchmarks."""
    known = sorted((table for _, table in TABLES.items()), key=lambda table: table.place)
    built = [table.build(analyses) for table in known]
    return [table for table in built if table]


def table_known(table_id: str) -> ReportTable | None:
    """Return the registered table, or None if a stored table is no longer known."""
    return TABLES.get(table_id) if table_id in TABLES else None


def chart_draw(table: Mapping[str, Any], *, margin: float | None = None) -> Drawing | None:
    """Draw a stored table's chart, or return None if it has no chart or nothing to draw."""
    known = table_known(table["id"])
    return known.chart.drawing(table, margin=margin) if known and known.chart else None
