"""API calls about the installation: health, capacity, heartbeats, and the API's own documentation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from drf_spectacular.types import OpenApiTypes
from msgspec import Meta, Struct
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.paging import query_read
from core.api.responses import gym_error_response
from core.api.schema import call
from core.errors import GymError
from core.structs.bodies import Body, body_read
from core.structs.fields import Id, choice
from core.web import live_address
from trajectories.models import Episode
from trajectories.record import heartbeats, projects
from trajectories.record.api import capacity, health, openapi
from trajectories.record.api.auth import Principal, caller

HEARTBEAT_EPISODES_MAX = 5_000
YAML = "application/vnd.oai.openapi"


def episodes_beat(ids: Sequence[int], *, principal: Principal) -> list[int]:
    """Renew the leases of episodes. Return the ids that have ended, do not exist, or are hidden from the key.

    Redis knows an active episode for as long as a lease lasts, so Postgres is asked about each episode only
    once per lease. Raises ``GymError`` 429 ``too_many_lookups``, and 503 without Redis.
    """
    project = principal.project or ""
    beaten = heartbeats.beat(ids, project=project, splits=principal.splits)
    if not beaten.unknown:
        return beaten.gone
    _lookups_check(len(beaten.unknown), principal=principal)
    active = projects.visible(Episode.objects.filter(pk__in=beaten.unknown, verdict=None), principal)
    heartbeats.active_note(dict(active.values_list("pk", "task__split")), project=project)
    again = heartbeats.beat(beaten.unknown, project=project, splits=principal.splits)
    return sorted([*beaten.gone, *again.gone, *again.unknown])


def _lookups_check(count: int, *, principal: Principal) -> None:
    """Refuse a key that asks about more unknown episodes than can be active, because it is guessing ids."""
    limit = settings.ACTIVE_EPISODES_MAX
    if heartbeats.lookups_count(principal.key_id, count) > limit:
        message = (
            f"This key has sent heartbeats for more than {limit:,} episodes within a minute that are not "
            "known to be active: send heartbeats only for active episodes."
        )
        raise GymError("too_many_lookups", message, status=429, retry_after_s=heartbeats.LOOKUPS_S)


class HealthRecord(Struct):
    """State of the installation.

    Each part is `ok` or `down`; `workers` and `sweeper` are `unknown` while Redis is down.
    """

    status: Annotated[
        Literal["ok", "degraded", "down"], Meta(description="`degraded` if no housekeeper is running.")
    ]
    down: Annotated[list[str], Meta(description="The parts that are down.")]
    missing: Annotated[list[str], Meta(description="Missing parts that the rest can work without.")]
    version: str
    database: str
    redis: str
    disk: Annotated[str, Meta(description="Whether the blob storage can be written to.")]
    disk_free_bytes: Annotated[int | None, Meta(description="Null unless blobs are stored in a folder.")]
    workers: Annotated[str, Meta(description="State of the workers of the verify queue.")]
    sweeper: str
    housekeeper: Annotated[str, Meta(description="`ok`, `missing` or `unknown`. If missing, facts are late.")]
    sandbox: Annotated[
        str,
        Meta(description="`ok`, `missing` or `unknown`. If missing, submitted programs cannot be judged."),
    ]
    arena_url: str
    live_url: str


class QueueRecord(Struct):
    queued: Annotated[int | None, Meta(description="Null if unknown.")]
    p95_ms: Annotated[
        float | None, Meta(description="Recent time from submission to verdict; null without verdicts.")
    ]


class CapacityRecord(Struct):
    active: Annotated[int, Meta(description="Episodes that are open or submitted.")]
    max_active: Annotated[int, Meta(description="Opening more episodes than this returns 429 `at_capacity`.")]
    verify: QueueRecord
    sandbox: QueueRecord
    recommended_inflight: Annotated[
        int, Meta(description="Recommended number of episodes to run at the same time.")
    ]


class HeartbeatIn(Body, kw_only=True):
    episodes: Annotated[list[Id], Meta(max_length=HEARTBEAT_EPISODES_MAX)]


class HeartbeatRecord(Struct):
    alive: Annotated[int, Meta(description="Number of leases renewed.")]
    gone: Annotated[list[int], Meta(description="Episodes that have ended, or that the key may not see.")]


class SchemaQuery(Body, kw_only=True):
    format: Annotated[str, choice(["yaml", "json"])] = "yaml"


class HealthView(APIView):
    authentication_classes = []
    permission_classes = []

    @call(
        "health",
        "Check the health of the installation",
        is_open=True,
        answers={200: HealthRecord, 503: (HealthRecord, "`down` names the parts that are down.")},
    )
    def get(self, _request: Request) -> Response:
        report = health.health_report()
        response = Response(report, status=503 if report["status"] == health.DOWN else 200)
        response["Cache-Control"] = "no-store"
        return response


class CapacityView(APIView):
    scopes = {"GET": "read"}

    @call("capacity", "Read the current load and the recommended concurrency", answers={200: CapacityRecord})
    def get(self, _request: Request) -> Response:
        return Response(capacity.capacity_report())


class HeartbeatView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "heartbeat",
        "Renew the leases of episodes",
        description=(
            f"At most {HEARTBEAT_EPISODES_MAX:,} ids. The database is asked about an episode once per lease."
        ),
        body=HeartbeatIn,
        answers={200: HeartbeatRecord},
        errors=(400, 429, 503),
    )
    def post(self, request: Request) -> Response:
        ids = list(dict.fromkeys(body_read(HeartbeatIn, request.data)["episodes"]))
        gone = episodes_beat(ids, principal=caller(request))
        return Response({"alive": len(ids) - len(gone), "gone": gone})


class SchemaView(APIView):
    authentication_classes = []
    permission_classes = []

    @call(
        "schema",
        "The API's OpenAPI 3 schema",
        is_open=True,
        parameters=[SchemaQuery],
        answers={
            (200, YAML): (OpenApiTypes.STR, "OpenAPI 3."),
            (200, "application/json"): (OpenApiTypes.OBJECT, "The same schema as JSON, with `format=json`."),
        },
        errors=(400,),
    )
    def get(self, request: Request) -> HttpResponse:
        if query_read(SchemaQuery, request)["format"] == "json":
            return HttpResponse(openapi.schema_json(), content_type="application/json")
        return HttpResponse(openapi.schema_yaml(), content_type=f"{YAML}; charset=utf-8")


class DocsView(APIView):
    authentication_classes = []
    permission_classes = []

    @call(
        "docs",
        "The API's documentation as a web page",
        is_open=True,
        answers={(200, "text/html"): OpenApiTypes.STR},
    )
    def get(self, request: Request) -> HttpResponse:
        context = {
            "docs": openapi.docs(),
            "live_url": settings.LIVE_URL,
            "timeout_s": live_address.TIMEOUT_DEFAULT_S,
            "timeout_max_s": live_address.TIMEOUT_MAX_S,
        }
        return render(request._request, "api/docs.html", context)


def not_found(_request: HttpRequest) -> HttpResponse:
    """Answer a request whose path the API does not have."""
    error = GymError("not_found", "There is no such call. See /api/v1/docs.", status=404)
    return gym_error_response(error)
