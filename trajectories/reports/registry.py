"""The registry of a report's tables, which are defined in ``builtin``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.registry import Registry
from trajectories.reports.analysis import Analysis
from trajectories.reports.tables import Column, Row, Table
from trajectories.shell.charts.drawing import Drawing

Rows = Callable[[Analysis], Iterable[Row]]
# A function of the analyses of all benchmarks in a report and of all rows of a table.
OfAll = Callable[[Sequence[Analysis], Sequence[Row]], Sequence[Any]]


@dataclass(frozen=True, kw_only=True)
class Chart:
    """The chart of a table. ``caption`` explains how to read it; ``has_margin`` draws the plan's margin."""

    draw: Callable[..., Drawing | None]
    caption: str
    has_margin: bool = False

    def drawing(self, table: Mapping[str, Any], *, margin: float | None = None) -> Drawing | None:
        """Draw the chart of a stored table, or return None if there is nothing to draw."""
        return self.draw(table, margin=margin) if self.has_margin else self.draw(table)


@dataclass(frozen=True, kw_only=True)
class ReportTable:
    """A table of a report, and how it is shown.

    ``place`` orders the tables, and ``rows`` yields the rows of one benchmark. A sequence of ``notes`` is
    shown if there are rows, whereas a function decides by itself. A report leaves the table out if it
    ``is_optional`` and has no rows, or if ``when`` holds for no benchmark. ``main`` lists the columns for
    which a terminal has room; without them, terminals do not show the table. ``aside`` columns are shown in a
    separate part. A table that ``is_reference`` has a page of its own.
    """

    id: str
    title: str
    place: int
    rows: Rows
    columns: Sequence[Column] | OfAll
    notes: Sequence[str] | OfAll = ()
    chart: Chart | None = None
    main: Sequence[str] = ()
    aside: frozenset[str] = frozenset()
    is_optional: bool = False
    is_reference: bool = False
    when: Callable[[Analysis], object] | None = None

    def build(self, analyses: Sequence[Analysis]) -> Table | None:
        """Build the table from the analyses of all benchmarks, or return None if the report leaves it out."""
        chosen = [analysis for analysis in analyses if self.when is None or self.when(analysis)]
        rows = [row for analysis in chosen for row in analysis.once(self.rows)]
        if (self.when and not chosen) or (self.is_optional and not rows):
            return None
        columns = self.columns(analyses, rows) if callable(self.columns) else self.columns
        notes: Sequence[str] = ()
        if callable(self.notes):
            notes = self.notes(analyses, rows)
        elif rows:
            notes = self.notes
        return Table(id=self.id, title=self.title, columns=columns, rows=rows, notes=notes, main=self.main)


TABLES: Registry[ReportTable] = Registry("report table")


def report_table(table_id: str, title: str, place: int, **options: Any) -> Callable[[Rows], Rows]:
    """Register the decorated function as the ``rows`` of a table; ``options`` are fields of ``ReportTable``.

    Raises ``ValueError`` if the id is already used.
    """

    def register(rows: Rows) -> Rows:
        TABLES.register(table_id, ReportTable(id=table_id, title=title, place=place, rows=rows, **options))
        return rows

    return register
