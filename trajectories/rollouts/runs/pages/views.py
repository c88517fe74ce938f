from __future__ import annotations

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from trajectories.rollouts.runs.pages.heat_map import pair_address
from trajectories.rollouts.runs.pages.pages import RunPage, RunsPage
from trajectories.shell import slow_queries
from trajectories.shell.access import LabRequest, lab_page, sees_golds


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
