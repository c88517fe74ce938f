from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from trajectories.lab.palette.page import PalettePage
from trajectories.shell.access import LabRequest, lab_page


@lab_page
def palette(request: LabRequest) -> HttpResponse:
    """Show the options for what was typed, as a part of the palette's list."""
    return render(request, "lab/palette/_entries.html", {"page": PalettePage(request.GET.get("q", ""))})
