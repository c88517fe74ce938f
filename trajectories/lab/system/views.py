from __future__ import annotations

from django.http import HttpResponse

from trajectories.lab.system.page import SystemPage
from trajectories.shell.access import LabRequest, lab_page, page_render


@lab_page
def system(request: LabRequest) -> HttpResponse:
    return page_render(request, "system/system", {"here": "system", "page": SystemPage()})
