from __future__ import annotations

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import render

from trajectories.reports.pages.formats import download
from trajectories.reports.training.pages.pages import TrainingPage, TransferPage
from trajectories.shell.access import LabRequest, lab_page


@lab_page
def training_detail(request: LabRequest, run_id: int) -> HttpResponse:
    page = TrainingPage(run_id, request.GET)
    return render(request, "lab/training/training.html", {"here": "runs", "page": page})


@lab_page
def training_file(request: LabRequest, run_id: int, name: str) -> StreamingHttpResponse:
    """Send a chart or a table of a run's training as a file."""
    page = TrainingPage(run_id, request.GET)
    return download(page.file(name), f"{page.files_named}{name}")


@lab_page
def transfer_detail(request: LabRequest) -> HttpResponse:
    page = TransferPage(request.GET)
    return render(request, "lab/training/transfer.html", {"here": "reports", "page": page})


@lab_page
def transfer_file(request: LabRequest, name: str) -> StreamingHttpResponse:
    return download(TransferPage(request.GET).file(name), name)
