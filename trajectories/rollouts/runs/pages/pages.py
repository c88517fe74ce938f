"""Contents of the list of runs and the page of a run."""

from __future__ import annotations

from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render

from trajectories.models import Run, Sampler
from trajectories.reports import selectors as reports
from trajectories.rollouts.runs.pages import rows
from trajectories.rollouts.runs.pages.dashboard import run_dashboard
from trajectories.rollouts.runs.pages.heat_map import pair_address
from trajectories.shell import slow_queries
from trajectories.shell.access import LabRequest, lab_page, sees_golds
from trajectories.shell.forms import RunFilter
from trajectories.shell.grid.runs import RUNS
from trajectories.shell.grid.view import Grid, GridView, grid_of
from trajectories.shell.queries import runs as selectors
from trajectories.shell.queries.tasks import benchmarks_known
from trajectories.shell.text.untrusted import visible

REPORTS_SHOWN = 3
COMPARED_MOST = 7


class RunsPage:
    """The list of runs that the address describes; ``rows`` is None if its query took too long."""

    compared_most = COMPARED_MOST

    def __init__(self, parameters: QueryDict) -> None:
        # Models are named as displayed, as in a search.
        models = {visible(model): model for model in selectors.models_known()}
        self.form = RunFilter(
            parameters, benchmarks=benchmarks_known(), models=list(models), kinds=Run.Kind.values
        )
        self.view = GridView(RUNS, parameters)
        self.errors = [*self.form.error_messages(), *self.view.errors]
        filters = self.form.filters()
        after = filters.pop("cursor", None)
        if "model" in filters:
            filters["model"] = models[filters["model"]]
        self.is_first = after is None
        self.is_filtered = bool(filters)
        page = slow_queries.result_in_time(
            lambda: rows.run_page(filters=filters, sort=self.view.sort, after=after)
        )
        self.rows: list[rows.RunRow] | None = page[0] if page else None
        self.older: int | None = page[1] if page else None
        # Reports are what runs are for: the newest stand first on the home page.
        is_home = self.is_first and not self.is_filtered
        newest = reports.report_list(before=None, limit=REPORTS_SHOWN) if is_home else []
        self.reports = newest[:REPORTS_SHOWN]

    @property
    def next_address(self) -> str:
        return self.view.address(cursor=str(self.older)) if self.older else ""

    @property
    def grid(self) -> Grid:
        return grid_of(self.view, self.rows or [])


class RunPage:
    """One run and the state of its episodes."""

    def __init__(self, run_id: int, *, sees_golds: bool = False) -> None:
        self.run = selectors.run_get(run_id)
        self.sees_golds = sees_golds
        self.export_query = f"run={run_id}"
        self.board = run_dashboard(run_id)
        self.socket = f"/ws/runs/{run_id}/pulse/"

    @property
    def has_curation(self) -> bool:
        """True for training runs: their page of samplers says so if there is none yet."""
        return self.run.kind == Run.Kind.TRAIN or Sampler.objects.filter(run=self.run).exists()


@lab_page
def run_list(request: LabRequest) -> HttpResponse:
    """Runs by filters; 503 when the query for them took too long."""
    page = RunsPage(request.GET)
    if page.view.is_scattered and not request.htmx:
        return HttpResponseRedirect(page.view.address())
    context = {"here": "runs", "page": page}
    return slow_queries.page_render(request, "runs/runs", context, is_too_slow=page.rows is None)


@lab_page
def run_detail(request: LabRequest, run_id: int) -> HttpResponse:
    page = RunPage(run_id, sees_golds=sees_golds(request.user))
    return render(request, "lab/runs/run.html", {"here": "runs", "page": page})


@lab_page
def run_live(request: LabRequest, run_id: int) -> HttpResponse:
    """The part that changes while a run goes on; 204 if the reader has ``seen`` this version."""
    page = RunPage(run_id)
    if request.GET.get("seen") == page.board.fingerprint:
        return HttpResponse(status=204)
    return render(request, "lab/runs/_updates.html", {"run": page.run, "board": page.board})


@lab_page
def run_pair(request: LabRequest, run_id: int) -> HttpResponseRedirect:
    """Redirect to the comparison behind a cell of the heat map."""
    return HttpResponseRedirect(pair_address(request.GET))
