from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from trajectories.lab.access import LabRequest, lab_page
from trajectories.lab.reports.pages import ReportPage, ReportsPage


@lab_page
def report_list(request: LabRequest) -> HttpResponse:
    return render(request, "lab/reports/reports.html", {"here": "reports", "page": ReportsPage(request.GET)})


@lab_page
def report_detail(request: LabRequest, report_id: int) -> HttpResponse:
    return render(request, "lab/reports/report.html", {"here": "reports", "page": ReportPage(report_id)})
