from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from trajectories.replay import access
from trajectories.replay.access import LabRequest, lab_page
from trajectories.replay.system import system_report


@lab_page
def system(request: LabRequest) -> HttpResponse:
    template = "lab/_system.html" if access.wants_fragment(request) else "lab/system.html"
    return render(request, template, {"here": "system", **system_report()})
