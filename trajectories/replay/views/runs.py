from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from trajectories.replay import access
from trajectories.replay.access import LabRequest, lab_page
from trajectories.replay.forms import CursorForm
from trajectories.replay.selectors import runs, tallies
from trajectories.replay.views.listing import episode_listing


@lab_page
def run_list(request: LabRequest) -> HttpResponse:
    before = CursorForm(request.GET).filters().get("cursor")
    return render(
        request,
        "lab/runs.html",
        {"page": runs.run_page(before=before), "is_first": before is None, "here": "runs"},
    )


@lab_page
def run_detail(request: LabRequest, run_id: int) -> HttpResponse:
    run = runs.run_get(run_id)
    listing = episode_listing(request.GET, run=run)
    if access.wants_fragment(request):
        return render(request, "lab/_episode_table.html", listing)
    context = {
        "here": "runs",
        "arms": tallies.tallies_by_arm(run_id=run.pk),
        "endings": runs.run_endings(run_id=run.pk),
        "policy_versions": runs.run_policy_versions(run_id=run.pk),
    }
    return render(request, "lab/run.html", {**listing, **context})
