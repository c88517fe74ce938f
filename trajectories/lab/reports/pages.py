"""What the list of reports, the page of a report and its lists of items show."""

from __future__ import annotations

from django.http import Http404, QueryDict

from core.errors import GymError
from trajectories.lab.forms import CursorForm
from trajectories.lab.reports.charts import charts_of
from trajectories.lab.reports.tables import tables_shown
from trajectories.models import Report
from trajectories.reports import selectors
from trajectories.reports.items import item_differences
from trajectories.reports.ladder import ArmKey, arm_read

REPORTS_PER_PAGE = 25
POLL_S = 2


class ReportsPage:
    """Reports, newest first, from the cursor in ``parameters`` on."""

    def __init__(self, parameters: QueryDict) -> None:
        form = CursorForm(parameters)
        before = form.filters().get("cursor")
        self.is_first = before is None
        reports = selectors.report_list(before=before, limit=REPORTS_PER_PAGE)
        self.reports = reports[:REPORTS_PER_PAGE]
        self.older = self.reports[-1].pk if len(reports) > REPORTS_PER_PAGE else None
        self.errors = form.error_messages()


class ReportPage:
    """One report: its plan, its runs and the tables that were last computed."""

    poll_s = POLL_S

    def __init__(self, report_id: int) -> None:
        self.report = report_or_404(report_id)
        self.runs = selectors.report_runs(report_id)
        self.is_stale = selectors.report_is_stale(self.report)
        self.is_simulated = any(run.simulated for run in self.runs)
        self.is_due = self.report.requested_at is not None
        self.charts = charts_of(self.report.result)
        self.tables = tables_shown(self.report.result)


class ItemsPage:
    """The items on which two arms of a report differ, named by ``?benchmark=&a=&b=&better=``."""

    def __init__(self, report_id: int, parameters: QueryDict) -> None:
        self.report = report_or_404(report_id)
        self.benchmark = parameters.get("benchmark", "")
        self.a, self.b = (arm_or_404(parameters.get(name, "")) for name in ("a", "b"))
        self.is_b_better = parameters.get("better") == "b"
        self.items = item_differences(
            self.report, benchmark=self.benchmark, a=self.a, b=self.b, is_b_better=self.is_b_better
        )
        self.total = self.items[0].total if self.items else 0
        self.better, self.worse = (self.b, self.a) if self.is_b_better else (self.a, self.b)


def report_or_404(report_id: int) -> Report:
    try:
        return selectors.report_get(report_id)
    except GymError as error:
        raise Http404(error.message) from error


def arm_or_404(name: str) -> ArmKey:
    try:
        return arm_read(name)
    except ValueError as error:
        raise Http404("This address names an arm that does not exist.") from error
