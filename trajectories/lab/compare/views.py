from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect, render

from trajectories.lab.compare.page import ComparePage
from trajectories.shell.access import LabRequest, lab_page, sees_golds


@lab_page
def compare_detail(request: LabRequest) -> HttpResponse:
    page = ComparePage(request.GET, sees_golds=sees_golds(request.user))
    if page.redirect:
        return redirect(page.redirect)
    return render(request, "lab/compare/compare.html", {"here": "search", "page": page})
