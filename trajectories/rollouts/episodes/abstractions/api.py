"""The calls that store abstractions and report their results."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.bodies import struct_read
from core.paging import page, query_read
from core.schema import call
from trajectories.record.api.auth import caller
from trajectories.record.api.idempotency import idempotent
from trajectories.rollouts.episodes.abstractions import records, selectors, services
from trajectories.rollouts.runs import selectors as runs


class AbstractionsView(APIView):
    scopes = {"GET": "read", "POST": "guidance"}

    @call(
        "abstraction_create",
        "Store an abstraction of a task",
        description="Knowledge that helps to solve it, for `guidance: {kind: abstraction}`. What holds the "
        "answer is refused.",
        body=records.AbstractionIn,
        answers={201: (records.AbstractionRecord, "The abstraction.")},
        errors=(400, 404, 422),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body = struct_read(request.data, records.AbstractionIn)
        row = services.abstraction_create(body=body, principal=caller(request))
        return Response(selectors.abstraction_get(row.pk, principal=caller(request)), status=201)

    @call(
        "abstraction_list",
        "List abstractions, the newest first",
        parameters=[records.AbstractionsQuery],
        answers={200: (records.AbstractionPage, "A page of abstractions.")},
        errors=(400,),
    )
    def get(self, request: Request) -> Response:
        query = query_read(records.AbstractionsQuery, request)
        limit, before = query["limit"], query.pop("cursor", None)
        rows = selectors.abstraction_list(principal=caller(request), before=before, **query)
        shown, following = page(rows, limit=limit, place=lambda record: int(record["id"]))
        return Response({"results": shown, "next": following})


class AbstractionView(APIView):
    scopes = {"GET": "read"}

    @call(
        "abstraction_get",
        "Read an abstraction and what its solvers made of it",
        answers={200: (records.AbstractionRecord, "The abstraction.")},
        errors=(404,),
    )
    def get(self, request: Request, abstraction_id: int) -> Response:
        return Response(selectors.abstraction_get(abstraction_id, principal=caller(request)))


class RunAbstractionsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "run_abstractions",
        "Read a run's results with, without and with the best abstractions",
        answers={200: (records.AbstractionReport, "Means over the tasks played with abstractions.")},
        errors=(404,),
    )
    def get(self, request: Request, run_id: int) -> Response:
        run = runs.run_get(run_id, principal=caller(request))
        return Response(selectors.run_report(run, principal=caller(request)))
