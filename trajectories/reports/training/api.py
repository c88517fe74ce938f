"""The API call for the transfer matrix: what training on some benchmarks changes on others."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.paging import query_read
from core.api.schema import call
from core.structs.bodies import Body
from core.structs.fields import FieldError, Id
from trajectories.record.api.auth import caller
from trajectories.reports import selectors
from trajectories.reports.tables import table_record
from trajectories.reports.training.matrix import transfer_of_reports, transfer_of_runs


class TransferQuery(Body, kw_only=True):
    before: Annotated[Id | UnsetType, Meta(description="The report before training.")] = UNSET
    after: Annotated[Id | UnsetType, Meta(description="The report after training.")] = UNSET

    def check(self) -> None:
        for name, other in (("before", "after"), ("after", "before")):
            if getattr(self, name) is not UNSET and getattr(self, other) is UNSET:
                raise FieldError(other, f"Is needed together with `{name}`.")


class TransferRecord(Struct):
    table: Annotated[
        dict[str, Any], Meta(description="A table as in a report: `{id, title, columns, rows, notes}`.")
    ]


class TransferView(APIView):
    scopes = {"GET": "read"}

    @call(
        "transfer_get",
        "Read what training changes, by benchmark and arm",
        description=(
            "Accuracy before and after training, paired by item, and the change beyond the change of text. "
            "It covers the newest training runs, or compares two reports."
        ),
        parameters=[TransferQuery],
        answers={200: TransferRecord},
        errors=(400, 404),
    )
    def get(self, request: Request) -> Response:
        query, principal = query_read(TransferQuery, request), caller(request)
        if not query:
            return Response({"table": table_record(transfer_of_runs(principal))})
        before, after = (
            selectors.report_get(query[name], principal=principal) for name in ("before", "after")
        )
        table = transfer_of_reports(before, after, splits=principal.splits)
        return Response({"table": table_record(table)})
