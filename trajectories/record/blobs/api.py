"""API calls about blobs: screenshots, DOM recordings, and a trainer's tokens."""

from __future__ import annotations

from typing import Annotated

from django.conf import settings
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from msgspec import Meta, Struct, convert, to_builtins
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.responses import read_content_length
from core.api.schema import call
from core.errors import too_large
from core.structs.bodies import Body, body_read
from core.structs.fields import Sha256
from trajectories.record.api.auth import caller
from trajectories.record.blobs import services

MISSING_MAX = 5_000


class BlobRecord(Struct):
    sha256: str
    size: Annotated[int, Meta(description="In bytes.")]
    content_type: Annotated[
        str, Meta(description="Detected from the bytes, whatever type the caller declared.")
    ]


class MissingIn(Body, kw_only=True):
    sha256: Annotated[list[Sha256], Meta(max_length=MISSING_MAX)]


class MissingRecord(Struct):
    missing: list[str]


class BlobView(APIView):
    scopes = {"GET": "read", "PUT": "trainer"}

    @call(
        "blob_put",
        "Store bytes under their SHA-256",
        body={"application/octet-stream": OpenApiTypes.BINARY},
        answers={201: BlobRecord, 200: (BlobRecord, "Already stored.")},
        errors=(400, 404, 413),
    )
    def put(self, request: Request, sha256: str) -> Response:
        # Pass the raw stream on, because DRF would first read the whole body into memory.
        stream = request._request
        limit = settings.BLOB_MAX_BYTES
        announced = read_content_length(request.META)
        if announced > limit:
            raise too_large("blob_too_large", "blob", announced, limit, "BLOB_MAX_BYTES")
        stored = services.blob_put(sha256=sha256, read=stream.read, project=caller(request).project or "")
        record = convert(stored, BlobRecord, from_attributes=True)
        return Response(to_builtins(record), status=201 if stored.is_new else 200)

    @call(
        "blob_get",
        "Read a blob",
        description="Pictures, JSON and text have their own type; anything else is sent as a download.",
        answers={
            (200, "application/octet-stream"): OpenApiTypes.BINARY,
            304: (None, "Not modified: the blob matches the `If-None-Match` header."),
        },
        errors=(404,),
    )
    def get(self, request: Request, sha256: str) -> HttpResponseBase:
        return services.blob_response(request._request, sha256, viewer=caller(request))


class BlobsMissingView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "blobs_missing",
        "Find out which blobs are not stored",
        body=MissingIn,
        answers={200: MissingRecord},
        errors=(400,),
    )
    def post(self, request: Request) -> Response:
        requested = body_read(MissingIn, request.data)["sha256"]
        return Response({"missing": services.blobs_missing(requested, project=caller(request).project or "")})
