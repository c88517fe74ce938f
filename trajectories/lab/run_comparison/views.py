from __future__ import annotations

from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from trajectories.lab.run_comparison.page import RunComparison
from trajectories.shell.access import LabRequest, lab_page


@lab_page
def runs_compare(request: LabRequest) -> HttpResponseBase:
    """Show several runs side by side; each selected box of the list sends one number."""
    selected = request.GET.getlist("runs")
    if len(selected) > 1:
        return redirect(f"{reverse('runs_compare')}?runs={','.join(filter(None, selected))}")
    context = {"here": "runs", "page": RunComparison(request.GET)}
    return render(request, "lab/run_comparison/runs.html", context)
