"""The REST API's endpoints for benchmarks, tasks and golds."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, Protocol, cast

import msgspec
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api import paging
from core.api.responses import MsgspecRenderer
from core.api.schema import call
from tasks_app import selectors
from tasks_app.records import Benchmark, ExportQuery, Gold, Task, TaskListQuery, TaskPage
from tasks_app.registry import benchmarks
from tasks_app.selectors import TaskFilter

NDJSON = "application/x-ndjson"
# At level 1 gzip keeps up with Postgres; level 6 halves the size again but runs at a quarter of the speed.
GZIP_LEVEL = 1
GZIP_WINDOW_BITS = 31
# Because of the two renderers, the schema would list a `format` parameter, which the API rejects.
NO_FORMAT = OpenApiParameter("format", exclude=True)


class Caller(Protocol):
    """The part of an API key that this module needs: the splits that it may see; empty means all."""

    @property
    def splits(self) -> frozenset[str]: ...


class NdjsonRenderer(MsgspecRenderer):
    """Renderer for callers that accept only NDJSON; an error is one line of JSON."""

    media_type = NDJSON
    format = "ndjson"


class BenchmarksView(APIView):
    scopes = {"GET": "read"}

    @call("benchmarks_list", "Benchmarks, and how many tasks each split has", answers={200: list[Benchmark]})
    def get(self, request: Request) -> Response:
        return Response(selectors.benchmark_list(splits=_visible_splits(request)))


class TasksView(APIView):
    scopes = {"GET": "read"}

    @call(
        "tasks_list",
        "Tasks by page, in id order",
        parameters=[TaskListQuery],
        answers={200: TaskPage},
        errors=(400, 422),
    )
    def get(self, request: Request) -> HttpResponse:
        query = paging.query_read(TaskListQuery, request)
        tasks = _task_filter(query, request)
        rows = selectors.task_list(tasks, after=query.get("cursor", 0), limit=query["limit"] + 1)
        if not rows:
            selectors.split_check(tasks)
        shown, cursor = paging.page(rows, limit=query["limit"], place=lambda row: row.id)
        records = ",".join(row.json for row in shown)
        body = f'{{"results":[{records}],"next":{msgspec.json.encode(cursor).decode()}}}'
        return HttpResponse(body, content_type="application/json")


class TasksExportView(APIView):
    scopes = {"GET": "read"}
    renderer_classes = [MsgspecRenderer, NdjsonRenderer]

    @call(
        "tasks_export",
        "All matching tasks, one JSON object per line",
        description="The server streams in constant memory, compressed if `Accept-Encoding` allows gzip. "
        "Send the `ETag` back as `If-None-Match` to get 304 when no task has changed.",
        parameters=[ExportQuery, NO_FORMAT],
        answers={
            (200, NDJSON): (Task, "One task per line."),
            304: OpenApiResponse(description="No task has changed since that `ETag`."),
        },
        errors=(400, 422),
    )
    def get(self, request: Request) -> HttpResponseBase:
        tasks = _task_filter(paging.query_read(ExportQuery, request), request)
        count, fingerprint = selectors.tasks_fingerprint(tasks)
        if not count:
            selectors.split_check(tasks)
        etag = _etag(fingerprint, tasks)
        response = get_conditional_response(request._request, etag=etag) or _stream(
            request, selectors.tasks_export(tasks)
        )
        response["ETag"] = etag
        response["Cache-Control"] = "private, no-cache"
        return response


class GoldsExportView(APIView):
    scopes = {"GET": "golds"}
    renderer_classes = [MsgspecRenderer, NdjsonRenderer]

    @call(
        "golds_export",
        "The current golds of all matching tasks, one JSON object per line",
        description="Needs the scope `golds`. For scripted policies and trainers that do their own scoring.",
        parameters=[ExportQuery, NO_FORMAT],
        answers={(200, NDJSON): (Gold, "One gold per line.")},
        errors=(400, 422),
    )
    def get(self, request: Request) -> HttpResponseBase:
        tasks = _task_filter(paging.query_read(ExportQuery, request), request)
        if not selectors.tasks_fingerprint(tasks)[0]:
            selectors.split_check(tasks)
        response = _stream(request, selectors.golds_export(tasks))
        response["Cache-Control"] = "no-store"
        return response


def _task_filter(query: dict[str, Any], request: Request) -> TaskFilter:
    """Build a task filter from the query. Raises ``GymError`` 422 ``unknown_benchmark`` with a suggestion."""
    benchmark = query.get("benchmark")
    if benchmark is not None:
        benchmarks.get(benchmark)
    return TaskFilter(
        benchmark=benchmark,
        split=query.get("split"),
        splits=_visible_splits(request),
        tags=query.get("tag") or None,
        ids=query.get("ids"),
        difficulty_min=query.get("difficulty_min"),
        difficulty_max=query.get("difficulty_max"),
        drawn=query["drawn"],
    )


def _visible_splits(request: Request) -> list[str] | None:
    return sorted(cast("Caller", request.user).splits) or None


def _etag(fingerprint: str, tasks: TaskFilter) -> str:
    """Build an ETag. It is weak because it is the same for the compressed and the plain stream."""
    text = repr((fingerprint, sorted(tasks.parameters().items())))
    return f'W/"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def _stream(request: Request, blocks: Iterator[bytes]) -> StreamingHttpResponse:
    zipped = _accepts_gzip(request.META.get("HTTP_ACCEPT_ENCODING", ""))
    response = StreamingHttpResponse(_gzip(blocks) if zipped else blocks, content_type=NDJSON)
    if zipped:
        response["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ("Accept-Encoding", "Authorization"))
    return response


def _accepts_gzip(header: str) -> bool:
    """Return whether the header accepts gzip: it names gzip and does not refuse it with ``gzip;q=0``."""
    for part in header.lower().split(","):
        coding, _, weight = part.replace(" ", "").partition(";q=")
        if coding in ("gzip", "x-gzip", "*"):
            return weight.strip("0.") != "" if weight else coding != "*"
    return False


def _gzip(blocks: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, GZIP_WINDOW_BITS)
    for block in blocks:
        if packed := packer.compress(block):
            yield packed
    yield packer.flush()
