"""API calls for a report's files."""

from __future__ import annotations

from typing import Annotated

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from msgspec import Meta, Struct
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.schema import call
from trajectories.record.api.auth import caller
from trajectories.reports import selectors
from trajectories.reports.pages import files, formats


class FileRecord(Struct):
    name: Annotated[str, Meta(description="`rows.parquet`, `gaps.tex`, `gaps.pdf`...")]
    content_type: str


class FileList(Struct):
    results: list[FileRecord]


class FilesView(APIView):
    scopes = {"GET": "read"}

    @call(
        "report_files",
        "List the files of a report",
        description=(
            "The page in one file (`report.html`), everything as JSON, the episodes row by row, each table "
            "as CSV, JSON, Parquet and LaTeX, and each chart as SVG, PDF and PNG. Before the first "
            "computation there are only the page, the JSON and the rows."
        ),
        answers={200: FileList},
        errors=(404,),
    )
    def get(self, request: Request, report_id: int) -> Response:
        report = selectors.report_get(report_id, principal=caller(request))
        names = files.file_names(report)
        return Response(
            {"results": [{"name": name, "content_type": formats.content_type(name)} for name in names]}
        )


class FileView(APIView):
    scopes = {"GET": "read"}

    @call(
        "report_file",
        "Read a file of a report",
        answers={
            (200, kind): (OpenApiTypes.OBJECT if name == "json" else OpenApiTypes.BINARY, "The file.")
            for name, kind in formats.CONTENT_TYPES.items()
        },
        errors=(404,),
    )
    def get(self, request: Request, report_id: int, name: str) -> StreamingHttpResponse:
        principal = caller(request)
        report = selectors.report_get(report_id, principal=principal)
        file = files.file_get(report, name, splits=principal.splits)
        return StreamingHttpResponse(file.parts, content_type=file.content_type)
