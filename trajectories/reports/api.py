"""API calls for reports."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import StreamingHttpResponse
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.paging import page, query_read
from core.api.schema import call
from core.structs.bodies import body_read
from trajectories.models import Report
from trajectories.record.api.auth import caller
from trajectories.record.api.idempotency import idempotent
from trajectories.reports import exports, records, selectors, services


class ReportsView(APIView):
    scopes = {"GET": "read", "POST": "trainer"}

    @call(
        "report_create",
        "Create a report from an analysis plan",
        description="Open the report's runs with `report: id`, then request its computation.",
        body=records.ReportIn,
        answers={201: records.ReportCreated},
        errors=(400, 409, 413, 422),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        fields = body_read(records.ReportIn, request.data)
        # The plan is kept as it was sent, so that its hash equals the sender's.
        plan = dict(request.data)["plan"]
        report = services.report_create(name=fields["name"], plan=plan, principal=caller(request))
        return Response(
            {"id": report.pk, "plan_sha256": report.plan_sha256, "url": report_url(report)}, status=201
        )

    @call(
        "report_list",
        "List reports, newest first",
        parameters=[records.ReportsQuery],
        answers={200: records.ReportPage},
        errors=(400,),
    )
    def get(self, request: Request) -> Response:
        query = query_read(records.ReportsQuery, request)
        reports = selectors.report_list(
            before=query.get("cursor"), limit=query["limit"], principal=caller(request)
        )
        shown, following = page(reports, limit=query["limit"], place=lambda report: report.pk)
        return Response({"results": [_summary(report) for report in shown], "next": following})


class ReportView(APIView):
    scopes = {"GET": "read"}

    @call("report_get", "Read a report and its tables", answers={200: records.ReportDetail}, errors=(404,))
    def get(self, request: Request, report_id: int) -> Response:
        report = selectors.report_get(report_id, principal=caller(request))
        runs = [
            {"id": run.pk, "name": run.name, "model": run.model, "retest": run.is_retest}
            for run in selectors.report_runs(report.pk)
        ]
        return Response(
            {
                **_summary(report),
                "plan": report.plan,
                "runs": runs,
                "result": report.result,
                "stale": selectors.report_is_stale(report),
            }
        )


class RowsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "report_rows",
        "Stream the episodes of a report",
        description="One row per episode, as JSON lines, CSV or Parquet. The tables are computed from them.",
        parameters=[records.RowsQuery],
        answers={
            (200, exports.CONTENT_TYPES["jsonl"]): (records.RowRecord, "One episode per line."),
            (200, "text/csv"): (OpenApiTypes.STR, "The same columns as CSV."),
            (200, exports.CONTENT_TYPES["parquet"]): (OpenApiTypes.BINARY, "The same columns as Parquet."),
        },
        errors=(400, 404),
    )
    def get(self, request: Request, report_id: int) -> StreamingHttpResponse:
        report = selectors.report_get(report_id, principal=caller(request))
        name = query_read(records.RowsQuery, request)["format"]
        parts = exports.rows_export(report, name, splits=caller(request).splits)
        return StreamingHttpResponse(parts, content_type=exports.CONTENT_TYPES[name])


class ComputeView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "report_compute",
        "Compute a report again",
        description="The report is computed in the background. Read it until it is `ready` or `failed`.",
        answers={202: records.ReportSummary},
        errors=(404,),
    )
    def post(self, request: Request, report_id: int) -> Response:
        report = selectors.report_get(report_id, principal=caller(request))
        services.report_request(report.pk)
        return Response(_summary(selectors.report_get(report.pk)), status=202)


def report_url(report: Report) -> str:
    return f"{settings.LAB_URL}{reverse('report', kwargs={'report_id': report.pk})}"


def _summary(report: Report) -> dict[str, Any]:
    return {
        "id": report.pk,
        "plan_sha256": report.plan_sha256,
        "url": report_url(report),
        "name": report.name,
        "state": report.state,
        "progress": report.progress,
        "problem": report.problem,
        "created_at": report.created_at,
        "computed_at": report.computed_at,
    }
