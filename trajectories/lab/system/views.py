from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from trajectories.lab.access import LabRequest, lab_page, wants_fragment
from trajectories.lab.system.page import SystemPage


@lab_page
def system(request: LabRequest) -> HttpResponse:
    template = "lab/system/_system.html" if wants_fragment(request) else "lab/system/system.html"
    return render(request, template, {"here": "system", "page": SystemPage()})
