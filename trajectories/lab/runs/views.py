from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from trajectories.lab.access import LabRequest, lab_page
from trajectories.lab.forms import CursorForm, misnamed
from trajectories.lab.runs import selectors
from trajectories.lab.runs.dashboard import dashboard_of


@lab_page
def run_list(request: LabRequest) -> HttpResponse:
    form = CursorForm(request.GET)
    before = form.filters().get("cursor")
    context = {
        "here": "runs",
        "page": selectors.run_page(before=before),
        "is_first": before is None,
        "problems": [*form.problems(), *misnamed(request.GET, known=form.fields, of="the list of runs")],
    }
    return render(request, "lab/runs/runs.html", context)


@lab_page
def run_list_named(request: LabRequest) -> HttpResponse:
    """The address that one would guess of the list."""
    return redirect(reverse("runs", query=request.GET))


@lab_page
def run_detail(request: LabRequest, run_id: int) -> HttpResponse:
    run = selectors.run_get(run_id)
    context = {
        "here": "runs",
        "run": run,
        "socket": f"/ws/runs/{run.pk}/pulse/",
        "board": dashboard_of(run.pk),
    }
    return render(request, "lab/runs/run.html", context)


@lab_page
def run_live(request: LabRequest, run_id: int) -> HttpResponse:
    """The part of a run's page that changes while the run goes on; 204 when nothing has since ``?seen``."""
    run = selectors.run_get(run_id)
    board = dashboard_of(run.pk)
    if request.GET.get("seen") == board.seen:
        return HttpResponse(status=204)
    return render(request, "lab/runs/_updates.html", {"run": run, "board": board})
