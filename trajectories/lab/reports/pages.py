"""What the list of reports and the page of a report show."""

from __future__ import annotations

from django.http import Http404, QueryDict

from core.errors import GymError
from trajectories.lab.forms import CursorForm
from trajectories.reports import selectors

REPORTS_PER_PAGE = 25


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

    def __init__(self, report_id: int) -> None:
        try:
            self.report = selectors.report_get(report_id)
        except GymError as error:
            raise Http404(error.message) from error
        self.runs = selectors.report_runs(report_id)
        self.is_stale = selectors.report_is_stale(self.report)
        self.is_simulated = any(run.simulated for run in self.runs)
