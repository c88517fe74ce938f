from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from trajectories.rollouts.samplers.pages.page import SamplersPage
from trajectories.shell.access import LabRequest, lab_page


@lab_page
def sampler_list(request: LabRequest, run_id: int) -> HttpResponse:
    """The run's samplers, one of them in full."""
    page = SamplersPage(run_id, request.GET)
    return render(request, "lab/samplers/samplers.html", {"here": "runs", "page": page})
