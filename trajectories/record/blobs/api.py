"""The calls about blobs: screenshots, DOM recordings, a trainer's tokens."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api import read_content_length
from core.errors import too_large
from core.fields import Sha256Field, StrictSerializer, body_read
from core.schema import call
from trajectories.record.api.auth import caller
from trajectories.record.blobs import services

MISSING_MAX = 5_000


class BlobRecord(serializers.Serializer[Any]):
    sha256 = serializers.CharField()
    size = serializers.IntegerField(help_text="In bytes.")
    content_type = serializers.CharField(help_text="Detected from the bytes, whatever the caller claims.")


class MissingIn(StrictSerializer):
    sha256 = serializers.ListField(child=Sha256Field(), max_length=MISSING_MAX)


class MissingRecord(serializers.Serializer[Any]):
    missing = serializers.ListField(child=serializers.CharField())


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
        # The raw stream: DRF would read all of it into memory first.
        stream = request._request
        limit = settings.BLOB_MAX_BYTES
        announced = read_content_length(request.META)
        if announced > limit:
            raise too_large("blob_too_large", "blob", announced, limit, "BLOB_MAX_BYTES")
        stored = services.blob_put(sha256=sha256, read=stream.read, project=caller(request).project or "")
        return Response(BlobRecord(stored).data, status=201 if stored.is_new else 200)

    @call(
        "blob_get",
        "Read a blob",
        description="Pictures, JSON and text have their own type; anything else is sent as a download.",
        answers={
            (200, "application/octet-stream"): OpenApiTypes.BINARY,
            304: (None, "Not modified since the `If-None-Match` sent."),
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
