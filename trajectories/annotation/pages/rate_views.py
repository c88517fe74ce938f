"""The rates of a project, the units behind each of them, and their file."""

from __future__ import annotations

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render

from core.csv_text import encode_csv
from trajectories.annotation.pages.agreement_views import UNITS_SHOWN
from trajectories.annotation.pages.head import head_context
from trajectories.annotation.pages.queue_views import project_or_404
from trajectories.annotation.pages.rates_page import RatesPage
from trajectories.lab.episode_files.views import as_file
from trajectories.shell.access import LabRequest, lab_page

SIGNS = {
    "all": "labelled by people",
    "with": "given by people",
    "without": "not given by people",
    "both": "labelled by the machine and by people",
    "more": "labelled by the machine alone",
}


@lab_page
def annotation_rates(request: LabRequest, project_id: int) -> HttpResponse:
    """Show how often thoughts have the chosen answers, by arm, run or policy version."""
    project = project_or_404(project_id)
    head = head_context("Rates", project=project, tab="rates")
    context = {**head, "page": RatesPage(project=project, data=request.GET)}
    return render(request, "lab/annotation/rates.html", context)


@lab_page
def annotation_rate_units(request: LabRequest, project_id: int) -> HttpResponse:
    """The labelled units of a ``?group``; with ``?sign`` those ``with`` or ``without`` the chosen answers.

    Of a ``?machine`` the ``sign`` is ``both`` or ``more``: units with labels of people, and without.
    """
    project = project_or_404(project_id)
    page = RatesPage(project=project, data=request.GET)
    sign = request.GET.get("sign", "all")
    machine = request.GET.get("machine", "")
    units = page.units_of(request.GET.get("group", "all"), sign=sign, machine=machine)
    context = {
        **head_context(f"{page.title}: {SIGNS[sign]}", project=project, place="units", tab="rates"),
        "units": units[:UNITS_SHOWN],
        "count": len(units),
    }
    return render(request, "lab/annotation/units.html", context)


@lab_page
def annotation_rates_file(request: LabRequest, project_id: int) -> HttpResponseBase:
    """The tables of the page as one file."""
    page = RatesPage(project=project_or_404(project_id), data=request.GET)
    response = HttpResponse(encode_csv(page.csv_rows()), content_type="text/csv; charset=utf-8")
    return as_file(response, f"annotation-{project_id}-rates.csv")
