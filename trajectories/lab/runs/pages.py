"""What the list of runs and the page of a run show."""

from __future__ import annotations

from django.http import QueryDict

from trajectories.lab.forms import CursorForm
from trajectories.lab.runs import selectors
from trajectories.lab.runs.dashboard_cache import run_dashboard
from trajectories.reports import selectors as reports

REPORTS_SHOWN = 3


class RunsPage:
    """Runs, newest first, from the cursor in ``parameters`` on."""

    def __init__(self, parameters: QueryDict) -> None:
        form = CursorForm(parameters)
        before = form.filters().get("cursor")
        self.is_first = before is None
        self.rows, self.older = selectors.run_rows(before=before)
        self.errors = form.error_messages()
        # Reports are what runs are for: the newest stand first on the home page.
        newest = reports.report_list(before=None, limit=REPORTS_SHOWN) if self.is_first else []
        self.reports = newest[:REPORTS_SHOWN]


class RunPage:
    """One run and the state of its episodes."""

    def __init__(self, run_id: int) -> None:
        self.run = selectors.run_get(run_id)
        self.board = run_dashboard(run_id)
        self.socket = f"/ws/runs/{run_id}/pulse/"
