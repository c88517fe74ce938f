"""The contents of the list of reports, of a report's page, and of its lists of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any

from django.http import Http404, QueryDict

from core.api.paging import page_cut
from core.errors import GymError
from trajectories.models import Report
from trajectories.reports import selectors
from trajectories.reports.catalogue import table_known
from trajectories.reports.items import item_differences
from trajectories.reports.ladder import ArmKey, arm_read
from trajectories.reports.pages import formats
from trajectories.reports.pages.formats import FileLink, file_links
from trajectories.reports.pages.look_pictures import LookPicture, look_pictures
from trajectories.reports.pages.summary import sentences_of
from trajectories.reports.pages.tables import ShownTable, table_get, table_shown, tables_of
from trajectories.reports.plan import ALPHA
from trajectories.reports.registry import Chart
from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.forms import CursorForm

REPORTS_PER_PAGE = 25
POLL_S = 2
# Tables with more rows than this, and charts that are higher than this in pixels, are folded.
ROWS_SHOWN, CHART_SHOWN = 20, 1000
OPEN = "episodes still open"


class ReportsPage:
    """A page of the list of reports, newest first, starting at the cursor in ``parameters``."""

    def __init__(self, parameters: QueryDict) -> None:
        form = CursorForm(parameters)
        before = form.filters().get("cursor")
        self.is_first = before is None
        reports = selectors.report_list(before=before, limit=REPORTS_PER_PAGE)
        self.reports, self.older = page_cut(reports, limit=REPORTS_PER_PAGE, place=attrgetter("pk"))
        self.errors = form.error_messages()


class Section:
    """A stored table with its chart and its files.

    A reference table (``is_apart``) has a page of its own, and its rows are repeated only in the report's
    file.
    """

    def __init__(
        self,
        table: Mapping[str, Any],
        *,
        chart: Chart | None = None,
        margin: float | None = None,
        is_reference: bool = False,
    ) -> None:
        self._table, self._chart, self._margin = table, chart, margin
        self.id: str = table["id"]
        self.title: str = table["title"]
        self.notes: Sequence[str] = table["notes"]
        self.rows = len(table["rows"])
        self.is_apart = is_reference and self.rows > 0
        self.is_long = self.is_apart or self.rows > ROWS_SHOWN
        self.caption = chart.caption if chart else ""
        self.table_files = file_links(self.id, formats.TABLES)

    @cached_property
    def table(self) -> ShownTable:
        return table_shown(self._table)

    @cached_property
    def drawing(self) -> Drawing | None:
        return self._chart.drawing(self._table, margin=self._margin) if self._chart else None

    @property
    def is_tall(self) -> bool:
        """True if the section's chart is higher than ``CHART_SHOWN``."""
        return self.drawing is not None and self.drawing.height > CHART_SHOWN

    @property
    def chart_files(self) -> list[FileLink]:
        return file_links(self.id, formats.CHARTS) if self.drawing else []

    @property
    def without(self) -> str:
        """The reason why there is no chart, if the table could have one; otherwise empty."""
        has_none = self._chart is not None and self.drawing is None
        return "No chart: no row of this table has a number." if has_none else ""


class ReportPage:
    """The page of one report, with its plan, its runs and the tables that were last computed."""

    poll_s = POLL_S

    def __init__(self, report_id: int) -> None:
        self.report = report_or_404(report_id)
        self.files_named = files_named(report_id)
        self.runs = selectors.report_runs(report_id)
        self.is_stale = selectors.report_is_stale(self.report)
        self.is_simulated = any(run.simulated for run in self.runs)
        self.is_due = self.report.requested_at is not None
        self.sentences = sentences_of(self.report.result)
        self.level = f"{100 * (1 - self.report.plan.get('alpha', ALPHA)):g}%"

    @cached_property
    def sections(self) -> list[Section]:
        return [self._section(table) for table in tables_of(self.report.result)]

    def _section(self, table: Mapping[str, Any]) -> Section:
        known, margin = table_known(table["id"]), self.report.plan.get("margin")
        if known is None:
            return Section(table)
        return Section(table, chart=known.chart, margin=margin, is_reference=known.is_reference)

    @property
    def setup(self) -> str:
        """A short description of the planned set-up."""
        plan = self.report.plan
        names = [
            plan.get("observation"),
            plan.get("grammar"),
            plan.get("history") and f"history {plan['history']}",
        ]
        looks = (plan.get("looks") or {}).get("count")  # may be null in a plan
        counts = [
            f"{number} {word}{'' if number == 1 else 's'}"
            for number, word in ((plan.get("samples"), "sample"), (looks, "look"))
            if number
        ]
        return " · ".join(filter(None, [*names, *counts]))

    @cached_property
    def look_pictures(self) -> list[LookPicture]:
        return look_pictures(self.report.result)

    @property
    def open_episodes(self) -> int:
        """The number of episodes that had no verdict when the tables were computed."""
        table = table_get(self.report.result, "deviations")
        rows = table["rows"] if table else []
        return sum(row["episodes"] for row in rows if row["deviation"] == OPEN)


class TablePage:
    """The page of one table of a report. Raises ``Http404`` if the report has no such table."""

    def __init__(self, report_id: int, table_id: str) -> None:
        self.report = report_or_404(report_id)
        stored = table_get(self.report.result, table_id)
        if stored is None:
            raise Http404("This report has no such table yet.")
        self.table = table_shown(stored)


class ItemsPage:
    """The page with the items on which two arms of a report differ.

    The query parameters ``benchmark``, ``a``, ``b`` and ``better`` select the items.
    """

    def __init__(self, report_id: int, parameters: QueryDict) -> None:
        self.report = report_or_404(report_id)
        self.benchmark = parameters.get("benchmark", "")
        self.a, self.b = (arm_or_404(parameters.get(name, "")) for name in ("a", "b"))
        self.is_b_better = parameters.get("better") == "b"
        self.items = item_differences(
            self.report, benchmark=self.benchmark, a=self.a, b=self.b, is_b_better=self.is_b_better
        )
        self.total = self.items[0].total if self.items else 0
        self.others = 0 if self.items else self._others()
        self.better, self.worse = (self.b, self.a) if self.is_b_better else (self.a, self.b)

    def _others(self) -> int:
        """Count the items on which the other arm is better."""
        others = item_differences(
            self.report, benchmark=self.benchmark, a=self.a, b=self.b, is_b_better=not self.is_b_better
        )
        return others[0].total if others else 0

    @property
    def query(self) -> str:
        """The query that identifies this list within the report."""
        query = QueryDict(mutable=True)
        query.update({"benchmark": self.benchmark, "a": self.a.id, "b": self.b.id})
        if self.is_b_better:
            query["better"] = "b"
        return query.urlencode()

    def pair_query(self, number: int) -> str:
        """Return the query that compares the two episodes of item ``number``, which counts from 1.

        Raises ``Http404`` if there is no such item.
        """
        if not 1 <= number <= len(self.items):
            raise Http404("This list has no such item.")
        item = self.items[number - 1]
        place = f"report={self.report.pk}&{self.query}&pair={number}&pairs={len(self.items)}"
        return f"episodes={item.episode_a},{item.episode_b}&{place}"


def files_named(report_id: int) -> str:
    """Return the prefix of the names under which a report's files are saved."""
    return f"report-{report_id}-"


def report_or_404(report_id: int) -> Report:
    """Return the report. Raises ``Http404`` if it does not exist."""
    try:
        return selectors.report_get(report_id)
    except GymError as error:
        raise Http404(error.message) from error


def arm_or_404(name: str) -> ArmKey:
    """Return the arm that an address names. Raises ``Http404`` if it does not exist."""
    try:
        return arm_read(name)
    except ValueError as error:
        raise Http404("This address names an arm that does not exist.") from error
