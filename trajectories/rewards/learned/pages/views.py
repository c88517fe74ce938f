from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from trajectories.rewards.learned.pages.page import ModelPage, ModelsPage
from trajectories.shell.access import LabRequest, lab_page


@lab_page
def model_list(request: LabRequest) -> HttpResponse:
    return render(request, "lab/learned/models.html", {"here": "judges", "page": ModelsPage(request.GET)})


@lab_page
def model_detail(request: LabRequest, model_id: str) -> HttpResponse:
    """The card of a learned reward."""
    return render(request, "lab/learned/model.html", {"here": "judges", "page": ModelPage(model_id)})
