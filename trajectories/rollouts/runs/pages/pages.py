"""The contents of the list of runs and of the page of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render

from core.database.sql import Statement
from trajectories.models import Run, Sampler
from trajectories.reports import selectors as reports
from trajectories.rollouts.runs.pages.dashboard import run_dashboard
from trajectories.rollouts.runs.pages.heat_map import pair_address
from trajectories.shell import slow_queries
from trajectories.shell.access import LabRequest, lab_page, sees_golds
from trajectories.shell.forms import RunFilter
from trajectories.shell.grid.columns import load_list
from trajectories.shell.grid.view import Grid, GridView, Sort, build_grid
from trajectories.shell.queries import runs as selectors
from trajectories.shell.queries.runs import Tally, tallies_by_run
from trajectories.shell.queries.tasks import list_benchmarks
from trajectories.shell.text.untrusted import visible

RUNS = load_list(Path(__file__).with_name("runs.toml"))


RUNS_PER_PAGE = 50
_PARTS = Statement(__file__, "run_parts")
# Each of these tables is joined only if the list is sorted by one of its columns.
JOINS = {
    "s": "LEFT JOIN trajectories_ratesum s ON s.run_id = r.id AND s.scope = 'run'",
    "n": "LEFT JOIN (SELECT d.run_id, sum(d.episodes) AS episodes, "
    "sum(d.episodes) FILTER (WHERE d.outcome = 'void') AS void "
    "FROM trajectories_endingsum d GROUP BY 1) n ON n.run_id = r.id",
    "o": "LEFT JOIN (SELECT e.run_id, count(*) AS episodes FROM trajectories_episode e "
    "WHERE e.status = 'open' GROUP BY 1) o ON o.run_id = r.id",
    "p": "LEFT JOIN (SELECT g.run_id, min(g.arm) AS arm, min(t.benchmark_id) AS benchmark "
    "FROM trajectories_group g JOIN tasks_app_task t ON t.id = g.task_id GROUP BY 1) p ON p.run_id = r.id",
}

CONDITIONS = {
    "q": "(r.name ILIKE %(q)s OR r.model ILIKE %(q)s OR EXISTS "
    "(SELECT 1 FROM unnest(r.tags) AS tag WHERE tag ILIKE %(q)s))",
    "model": "r.model = %(model)s",
    "kind": "r.kind = %(kind)s",
    "arm": "EXISTS (SELECT 1 FROM trajectories_group g WHERE g.run_id = r.id AND g.arm = %(arm)s)",
    "benchmark": "EXISTS (SELECT 1 FROM trajectories_group g JOIN tasks_app_task t ON t.id = g.task_id "
    "WHERE g.run_id = r.id AND t.benchmark_id = %(benchmark)s)",
}
REPORTS_SHOWN = 3
COMPARED_MOST = 7


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """A run with its episodes by outcome, and its arms and benchmarks."""

    run: Run
    tally: Tally
    arms: Sequence[str]
    benchmarks: Sequence[str]

    @property
    def pk(self) -> int:
        return self.run.pk


def run_page(*, filters: Mapping[str, Any], sort: Sort, after: int | None) -> tuple[list[RunRow], int | None]:
    """Return one page of runs, and the cursor of the next page."""
    conditions = [CONDITIONS[name] for name in filters]
    parameters = dict(filters)
    if "q" in parameters:
        parameters["q"] = f"%{_literal(parameters['q'])}%"
    joins = " ".join(join for alias, join in JOINS.items() if f"{alias}." in sort.sql)
    tables = f"trajectories_run r {joins}"
    if after is not None:
        conditions.append(sort.after("r.id", tables=tables))
        parameters["after"] = after
    statement = Statement(
        __file__,
        "runs_sorted",
        tables=tables,
        conditions=" AND ".join(conditions) or "true",
        order=sort.order_by("r.id"),
    )
    ids = [run_id for (run_id,) in statement.rows(limit=RUNS_PER_PAGE + 1, **parameters)]
    shown = ids[:RUNS_PER_PAGE]
    return run_rows(shown), shown[-1] if len(ids) > RUNS_PER_PAGE else None


def run_rows(run_ids: Sequence[int]) -> list[RunRow]:
    """Return the rows of these runs, in this order. Runs that do not exist are left out."""
    runs = Run.objects.defer("settings", "affordances").in_bulk(run_ids)
    tallies = tallies_by_run(list(run_ids))
    parts = {row[0]: row[1:] for row in _PARTS.rows(runs=list(run_ids))}
    return [
        RunRow(
            run=runs[run_id],
            tally=tallies.get(run_id, Tally()),
            arms=parts[run_id][0],
            benchmarks=parts[run_id][1],
        )
        for run_id in run_ids
        if run_id in runs
    ]


def _literal(text: str) -> str:
    """Escape the wildcards of ``LIKE`` in a text."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


class RunsPage:
    """The list of runs that the address describes. ``rows`` is None if its query took too long."""

    compared_most = COMPARED_MOST

    def __init__(self, parameters: QueryDict) -> None:
        # Models are named as they are displayed, as in a search.
        models = {visible(model): model for model in selectors.list_models()}
        self.form = RunFilter(
            parameters, benchmarks=list_benchmarks(), models=list(models), kinds=Run.Kind.values
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
            lambda: run_page(filters=filters, sort=self.view.sort, after=after)
        )
        self.rows: list[RunRow] | None = page[0] if page else None
        self.older: int | None = page[1] if page else None
        # Reports are the purpose of runs, so the home page shows the newest first.
        is_home = self.is_first and not self.is_filtered
        newest = reports.report_list(before=None, limit=REPORTS_SHOWN) if is_home else []
        self.reports = newest[:REPORTS_SHOWN]

    @property
    def next_address(self) -> str:
        return self.view.address(cursor=str(self.older)) if self.older else ""

    @property
    def grid(self) -> Grid:
        return build_grid(self.view, self.rows or [])


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
        """True if the page links to the run's samplers.

        A training run always has the link, because its page of samplers also reports that there are none.
        """
        return self.run.kind == Run.Kind.TRAIN or Sampler.objects.filter(run=self.run).exists()


@lab_page
def run_list(request: LabRequest) -> HttpResponse:
    """List runs by filters. Answers 503 if the query took too long."""
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
    """Show the part of the page that changes during a run.

    Answers 204 if the reader has already ``seen`` this version.
    """
    page = RunPage(run_id)
    if request.GET.get("seen") == page.board.fingerprint:
        return HttpResponse(status=204)
    return render(request, "lab/runs/_updates.html", {"run": page.run, "board": page.board})


@lab_page
def run_pair(request: LabRequest, run_id: int) -> HttpResponseRedirect:
    """Redirect to the comparison behind a cell of the heat map."""
    return HttpResponseRedirect(pair_address(request.GET))
