from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from trajectories.lab.access import LabRequest, lab_page
from trajectories.lab.rewards.page import RewardsPage


@lab_page
def run_rewards(request: LabRequest, run_id: int) -> HttpResponse:
    """What the run's episodes are paid, and what another profile would have paid."""
    page = RewardsPage(run_id, request.GET)
    return render(request, "lab/rewards/rewards.html", {"here": "runs", "page": page})
