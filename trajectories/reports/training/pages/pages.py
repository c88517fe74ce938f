"""The contents of the page about a run's training, and of the transfer page."""

from __future__ import annotations

from functools import cached_property

from django.http import Http404, QueryDict

from trajectories.models import Report, Run
from trajectories.record import projects
from trajectories.reports.pages.formats import CHARTS, TABLES, File, chart_file, table_file
from trajectories.reports.pages.pages import Section
from trajectories.reports.tables import table_record
from trajectories.reports.training.matrix import transfer_of_reports, transfer_of_runs
from trajectories.reports.training.pages.charts import Chart, charts_of
from trajectories.reports.training.transfer_table import CHART
from trajectories.reports.training.view import training_view
from trajectories.shell.forms import FilterForm, choice_field
from trajectories.shell.queries import runs as selectors
from trajectories.shell.text.untrusted import visible

# The number of newest reports that the form of the transfer matrix offers.
REPORTS_MAX = 200


class TrainingPage:
    """The page about the policy versions of one run; the query parameter ``arm`` selects the arm."""

    def __init__(self, run_id: int, parameters: QueryDict) -> None:
        self.run: Run = selectors.run_get(run_id)
        self.view = training_view(self.run, arm=parameters.get("arm", ""))
        self.files_named = f"run-{run_id}-"

    @cached_property
    def _record(self) -> dict[str, dict[str, object]]:
        return {table["id"]: table for table in self.view.record()["tables"]}

    @cached_property
    def charts(self) -> list[Chart]:
        return charts_of(self._record, self.view.alarms)

    @cached_property
    def sections(self) -> list[Section]:
        tables = [table for table in self._record.values() if table["rows"]]
        return [Section(table, chart=CHART if table["id"] == "transfer" else None) for table in tables]

    def file(self, name: str) -> File:
        """Return a table or a chart as a file. Raises ``Http404`` if there is none with this name."""
        stem, _, kind = name.rpartition(".")
        if stem in self._record and kind in TABLES:
            return table_file(self._record[stem], kind, source=self.run.name)
        drawing = next((chart.drawing for chart in self.charts if chart.id == stem), None)
        if drawing is None or kind not in CHARTS:
            raise Http404("This run's training has no such table or chart yet.")
        return chart_file(drawing, kind)


class TransferForm(FilterForm):
    """The form of the transfer matrix, which compares two reports if both are chosen, else training runs."""

    page = "the transfer matrix"

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        newest = Report.objects.order_by("-pk").values_list("pk", "name")[:REPORTS_MAX]
        choices = [("", "none chosen"), *((str(pk), visible(f"{pk} · {name}")) for pk, name in newest)]
        for end in ("before", "after"):
            self.fields[end] = field = choice_field([], f"Report {end} training")
            field.choices = choices

    def reports(self) -> tuple[Report, Report] | None:
        """Return the reports before and after training, or None unless both are chosen."""
        named = self.filters()
        if "before" not in named or "after" not in named:
            return None
        by_id = Report.objects.in_bulk([int(named["before"]), int(named["after"])])
        return by_id[int(named["before"])], by_id[int(named["after"])]


class TransferPage:
    """The transfer page, about training runs or two reports (query parameters ``before`` and ``after``)."""

    def __init__(self, parameters: QueryDict) -> None:
        self.form = TransferForm(parameters)
        self.reports = self.form.reports()
        table = transfer_of_reports(*self.reports) if self.reports else transfer_of_runs(projects.EVERYTHING)
        self.record = table_record(table)
        self.sections = [Section(self.record, chart=CHART)] if self.record["rows"] else []
        self.errors = self.form.error_messages()
        self.query = parameters.urlencode()

    def file(self, name: str) -> File:
        """Return the table or its chart as a file. Raises ``Http404`` if there is none with this name."""
        stem, _, kind = name.rpartition(".")
        if stem == self.record["id"] and kind in TABLES:
            return table_file(self.record, kind, source=self._source)
        drawing = CHART.drawing(self.record)
        if stem != self.record["id"] or kind not in CHARTS or drawing is None:
            raise Http404("The transfer matrix has no such file yet.")
        return chart_file(drawing, kind)

    @property
    def _source(self) -> str:
        return " and ".join(report.name for report in self.reports) if self.reports else "all training runs"
