from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from trajectories.lab import access
from trajectories.lab.access import LabRequest, lab_page
from trajectories.lab.system.report import system_report


@lab_page
def system(request: LabRequest) -> HttpResponse:
    template = "lab/system/_system.html" if access.wants_fragment(request) else "lab/system/system.html"
    return render(request, template, {"here": "system", **system_report()})
