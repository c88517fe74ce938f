from __future__ import annotations

from django.http import HttpResponse

from trajectories.lab.access import LabRequest, lab_page, page_render
from trajectories.lab.system.page import SystemPage


@lab_page
def system(request: LabRequest) -> HttpResponse:
    return page_render(request, "system/system", {"here": "system", "page": SystemPage()})
