from __future__ import annotations

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render

from trajectories.lab.access import LabRequest, lab_action, lab_page
from trajectories.lab.reports.charts import chart_of
from trajectories.lab.reports.pages import ItemsPage, ReportPage, ReportsPage, report_or_404
from trajectories.lab.reports.tables import table_get
from trajectories.reports import exports, selectors, services
from trajectories.reports.episode_rows import episode_rows


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


@lab_action
def report_compute(request: LabRequest, report_id: int) -> HttpResponse:
    services.report_request(report_or_404(report_id).pk)
    return redirect("report", report_id=report_id)


@lab_page
def report_rows(request: LabRequest, report_id: int, kind: str) -> StreamingHttpResponse:
    if kind not in exports.EXPORTS:
        raise Http404("Rows are exported as jsonl and as csv.")
    rows = episode_rows([run.pk for run in selectors.report_runs(report_or_404(report_id).pk)])
    return StreamingHttpResponse(exports.EXPORTS[kind](rows), content_type=exports.CONTENT_TYPES[kind])


@lab_page
def report_table(request: LabRequest, report_id: int, table: str) -> HttpResponse:
    stored = table_get(report_or_404(report_id).result, table)
    if stored is None:
        raise Http404("This report has no such table yet.")
    return HttpResponse(exports.table_as_csv(stored), content_type=exports.CONTENT_TYPES["csv"])


@lab_page
def report_chart(request: LabRequest, report_id: int, chart: str) -> HttpResponse:
    """A chart as a file, for papers."""
    drawn = chart_of(report_or_404(report_id).result, chart)
    if drawn is None:
        raise Http404("This report has no such chart yet.")
    return render(request, "lab/reports/chart.svg", {"chart": drawn}, content_type="image/svg+xml")
