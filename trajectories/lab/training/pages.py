"""What the page of a run's training shows."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from django.http import Http404, QueryDict

from trajectories.lab.reports.tables import ShownTable, table_shown
from trajectories.lab.runs import selectors
from trajectories.lab.training.charts import Chart, charts_of
from trajectories.lab.training.form import TransferForm
from trajectories.models import Run
from trajectories.reports.tables import table_record

if TYPE_CHECKING:
    from trajectories.reports.training.view import TrainingView


class TrainingPage:
    """The policy versions of one run; ``?arm=`` names the arm whose episodes count."""

    def __init__(self, run_id: int, parameters: QueryDict) -> None:
        # Its libraries cost a second and 60 MB: a server has them once somebody looks.
        from trajectories.reports.training.view import training_view

        self.run: Run = selectors.run_get(run_id)
        self.view: TrainingView = training_view(self.run, arm=parameters.get("arm", ""))

    @cached_property
    def _record(self) -> dict[str, dict[str, object]]:
        return {table["id"]: table for table in self.view.record()["tables"]}

    @cached_property
    def charts(self) -> list[Chart]:
        return charts_of(self._record, self.view.alarms)

    @cached_property
    def tables(self) -> list[ShownTable]:
        return [table_shown(table) for table in self._record.values() if table["rows"]]

    def chart(self, chart_id: str) -> Chart:
        drawn = next((chart for chart in self.charts if chart.id == chart_id), None)
        if drawn is None:
            raise Http404("This run has no such chart yet.")
        return drawn

    def table(self, table_id: str) -> dict[str, object]:
        if table_id not in self._record:
            raise Http404("This run has no such table.")
        return self._record[table_id]


class TransferPage:
    """What training changes, over training runs, or between two reports (``?before=&after=``)."""

    def __init__(self, parameters: QueryDict) -> None:
        from trajectories.reports.training.matrix import transfer_of_reports, transfer_of_runs

        self.form = TransferForm(parameters)
        self.reports = self.form.reports()
        table = transfer_of_reports(*self.reports) if self.reports else transfer_of_runs()
        self.record = table_record(table)
        self.tables = [table_shown(self.record)]
        self.errors = self.form.error_messages()
        self.query = parameters.urlencode()
