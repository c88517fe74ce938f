from __future__ import annotations

from django.http import Http404, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from core.errors import GymError
from trajectories.reports import services
from trajectories.reports.pages import files
from trajectories.reports.pages.formats import download
from trajectories.reports.pages.pages import (
    ItemsPage,
    ReportPage,
    ReportsPage,
    TablePage,
    files_named,
    report_or_404,
)
from trajectories.shell.access import LabRequest, lab_action, lab_page, page_render
from trajectories.shell.forms import DIVERGENCE_ANCHOR


@lab_page
def report_list(request: LabRequest) -> HttpResponse:
    return render(request, "lab/reports/reports.html", {"here": "reports", "page": ReportsPage(request.GET)})


@lab_page
def report_detail(request: LabRequest, report_id: int) -> HttpResponse:
    return render(request, "lab/reports/report.html", {"here": "reports", "page": ReportPage(report_id)})


@lab_page
def report_items(request: LabRequest, report_id: int) -> HttpResponse:
    page = ItemsPage(report_id, request.GET)
    return render(request, "lab/reports/items.html", {"here": "reports", "page": page})


@lab_page
def report_table(request: LabRequest, report_id: int, table_id: str) -> HttpResponse:
    """Show a long table, either on a page of its own or unfolded on the report's page."""
    page = TablePage(report_id, table_id)
    return page_render(request, "reports/table", {"here": "reports", "page": page, "table": page.table})


@lab_page
def report_pair(request: LabRequest, report_id: int, number: int) -> HttpResponseRedirect:
    """Redirect to the comparison of an item's two episodes, for an item of ``report_items``."""
    query = ItemsPage(report_id, request.GET).pair_query(number)
    return redirect(f"{reverse('compare')}?{query}#{DIVERGENCE_ANCHOR}")


@lab_action
def report_compute(request: LabRequest, report_id: int) -> HttpResponse:
    services.report_request(report_or_404(report_id).pk)
    return redirect("report", report_id=report_id)


@lab_page
def report_file(request: LabRequest, report_id: int, name: str) -> StreamingHttpResponse:
    try:
        file = files.file_get(report_or_404(report_id), name)
    except GymError as error:
        raise Http404(error.message) from error
    return download(file, f"{files_named(report_id)}{name}")
