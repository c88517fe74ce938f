"""Registration of the tables of a report, each in a file of ``builtin``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.registry import Registry
from trajectories.reports.analysis import Analysis
from trajectories.reports.tables import Column, Row, Table
from trajectories.shell.charts.drawing import Drawing

Rows = Callable[[Analysis], Iterable[Row]]
# A function of all benchmarks of a report and all rows of the table.
OfAll = Callable[[Sequence[Analysis], Sequence[Row]], Sequence[Any]]


@dataclass(frozen=True, kw_only=True)
class Chart:
    """The chart of a table. ``caption`` says how to read it; ``has_margin``: it shows the plan's margin."""

    draw: Callable[..., Drawing | None]
    caption: str
    has_margin: bool = False

    def drawing(self, table: Mapping[str, Any], *, margin: float | None = None) -> Drawing | None:
        """Draw the chart of a stored table; None if it has nothing to draw."""
        return self.draw(table, margin=margin) if self.has_margin else self.draw(table)


@dataclass(frozen=True, kw_only=True)
class ReportTable:
    """A table of a report, and how it is shown.

    ``place`` orders tables; ``rows`` yields those of one benchmark. A sequence of ``notes`` is shown if there
    are rows; a function decides by itself. A report leaves the table out if it ``is_optional`` and has no
    rows, or if ``when`` holds for no benchmark. ``main`` columns are those that a terminal has room for; it
    shows no table that has none. ``aside`` columns are shown apart. A table that ``is_reference`` has a page
    of its own.
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
        """Return the table; None if this report has none."""
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
    """Register a function as the rows of a table; ``options`` are those of ``ReportTable``.

    Raises ``ValueError`` for an id used twice.
    """

    def register(rows: Rows) -> Rows:
        TABLES.register(table_id, ReportTable(id=table_id, title=title, place=place, rows=rows, **options))
        return rows

    return register
