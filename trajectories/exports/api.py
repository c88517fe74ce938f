"""API calls for exports of training data."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from msgspec import convert, to_builtins
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.paging import Query, page, query_read
from core.api.schema import call
from core.structs.bodies import body_read
from trajectories.exports import records, selectors, services
from trajectories.exports.formats import CONTENT_TYPES
from trajectories.exports.parameters import Parameters
from trajectories.exports.registry import KINDS
from trajectories.exports.services import Author
from trajectories.models import Export
from trajectories.models.access import Scope
from trajectories.record.api.auth import Principal, caller
from trajectories.record.api.idempotency import idempotent


class KindsView(APIView):
    scopes = {"GET": "read"}

    @call("export_kinds", "List the kinds of exports", answers={200: records.KindList})
    def get(self, request: Request) -> Response:
        names = ("id", "title", "description", "unit", "columns", "outcomes", "origins", "options")
        kinds = [{name: getattr(kind, name) for name in names} for _, kind in KINDS.items()]
        return Response({"results": kinds})


class ExportsView(APIView):
    scopes = {"GET": "trainer", "POST": "trainer"}

    @call(
        "export_create",
        "Request an export of training data",
        description="The export is written in the background. Read it until its state is `done`, `failed` or "
        "`cancelled`.",
        body=records.ExportIn,
        answers={201: records.ExportRecord},
        errors=(400, 422),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        fields = body_read(records.ExportIn, request.data)
        kind = fields.pop("kind")
        parameters = convert(to_builtins(fields), Parameters)
        export = services.export_request(kind, parameters, author=_author(caller(request)))
        export.refresh_from_db()
        return Response(_record(export), status=201)

    @call(
        "export_list",
        "List exports, newest first",
        parameters=[Query],
        answers={200: records.ExportPage},
        errors=(400,),
    )
    def get(self, request: Request) -> Response:
        query = query_read(Query, request)
        author = _author(caller(request))
        exports = selectors.export_list(author=author, before=query.get("cursor"), limit=query["limit"])
        shown, following = page(exports, limit=query["limit"], place=lambda export: export.pk)
        return Response({"results": list(map(_record, shown)), "next": following})


class ExportView(APIView):
    scopes = {"GET": "trainer"}

    @call("export_get", "Read an export", answers={200: records.ExportRecord}, errors=(404,))
    def get(self, request: Request, export_id: int) -> Response:
        return Response(_record(_export(request, export_id)))


class ExportCancelView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "export_cancel",
        "Cancel an export in progress",
        answers={200: records.ExportRecord},
        errors=(404, 409),
    )
    def post(self, request: Request, export_id: int) -> Response:
        services.export_cancel(_export(request, export_id))
        return Response(_record(_export(request, export_id)))


class ExportAgainView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "export_again",
        "Run a finished export again",
        description="The filters stay the same, and apply to the episodes that have ended by now.",
        answers={202: records.ExportRecord},
        errors=(403, 404, 409),
    )
    def post(self, request: Request, export_id: int) -> Response:
        services.export_again(_export(request, export_id))
        return Response(_record(_export(request, export_id)), status=202)


class ExportFileView(APIView):
    scopes = {"GET": "trainer"}

    @call(
        "export_file",
        "Download a file of an export",
        description="The header `X-Sha256` has the file's checksum, as do the manifest and the export.",
        answers={
            (200, CONTENT_TYPES["jsonl"]): (OpenApiTypes.STR, "One row per line."),
            (200, CONTENT_TYPES["parquet"]): (OpenApiTypes.BINARY, "The same rows and columns as a table."),
            (200, CONTENT_TYPES["json"]): (OpenApiTypes.OBJECT, "The manifest."),
        },
        errors=(404,),
    )
    def get(self, request: Request, export_id: int, name: str) -> FileResponse:
        entry, file = selectors.file_open(_export(request, export_id), name)
        content_type = CONTENT_TYPES[name.rpartition(".")[2]]
        response = FileResponse(file, content_type=content_type, as_attachment=True, filename=name)
        response.headers["X-Sha256"] = entry["sha256"]
        return response


def _export(request: Request, export_id: int) -> Export:
    return selectors.export_get(export_id, author=_author(caller(request)))


def _record(export: Export) -> dict[str, Any]:
    return records.export_record(export, files=selectors.file_entries(export))


def _author(principal: Principal) -> Author:
    sees_golds = principal.may(Scope.GOLDS)
    return Author(
        name=principal.name,
        project=principal.project,
        splits=principal.splits,
        sees_golds=sees_golds,
        sees_solutions=sees_golds or principal.may(Scope.TRAINER),
        sees_guidance=sees_golds or principal.may(Scope.GUIDANCE),
        unlocks=principal.may(Scope.ADMIN),
        key_id=principal.key_id,
    )
