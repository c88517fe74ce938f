from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from trajectories.judges.run_rewards.page import RewardsPage
from trajectories.shell.access import LabRequest, lab_page


@lab_page
def run_rewards(request: LabRequest, run_id: int) -> HttpResponse:
    """Show the payments for the run's episodes, and those that another profile would have made."""
    page = RewardsPage(run_id, request.GET)
    return render(request, "lab/run_rewards/rewards.html", {"here": "runs", "page": page})
