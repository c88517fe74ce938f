from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from trajectories.lab.access import LabRequest, lab_page
from trajectories.lab.training.pages import TrainingPage, TransferPage
from trajectories.reports import exports


@lab_page
def training_detail(request: LabRequest, run_id: int) -> HttpResponse:
    page = TrainingPage(run_id, request.GET)
    return render(request, "lab/training/training.html", {"here": "runs", "page": page})


@lab_page
def training_chart(request: LabRequest, run_id: int, chart: str) -> HttpResponse:
    """A chart as a file, for papers."""
    drawn = TrainingPage(run_id, request.GET).chart(chart)
    return render(request, "lab/training/chart.svg", {"chart": drawn}, content_type="image/svg+xml")


@lab_page
def training_table(request: LabRequest, run_id: int, table: str) -> HttpResponse:
    stored = TrainingPage(run_id, request.GET).table(table)
    return HttpResponse(exports.table_as_csv(stored), content_type=exports.CONTENT_TYPES["csv"])


@lab_page
def transfer_detail(request: LabRequest) -> HttpResponse:
    page = TransferPage(request.GET)
    return render(request, "lab/training/transfer.html", {"here": "reports", "page": page})


@lab_page
def transfer_csv(request: LabRequest) -> HttpResponse:
    content = exports.table_as_csv(TransferPage(request.GET).record)
    return HttpResponse(content, content_type=exports.CONTENT_TYPES["csv"])
