"""The OpenAPI descriptions that calls share: their errors and the scope of their key."""

from __future__ import annotations

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers

MEANINGS = {
    400: "The request is not valid; `fields` names the invalid fields.",
    401: "The key is missing or unknown.",
    403: "The key lacks the required scope.",
    404: "It does not exist, or this key may not see it.",
    409: "This conflicts with stored data.",
    413: "Too large; the message names the limit and its setting.",
    422: "The request is well formed, but cannot be carried out.",
    429: "The installation is at capacity; retry after `Retry-After` seconds.",
    503: "A required service is down; the same call may be sent again.",
}


class ErrorDetailSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="Stable, for programs.")
    message = serializers.CharField(help_text="For people: what is wrong, and what to do.")
    fields = serializers.DictField(  # type: ignore[assignment]  # the contract's name
        child=serializers.ListField(child=serializers.CharField()),
        help_text="Messages by field, e.g. `steps.0.index`.",
    )


class ErrorSerializer(serializers.Serializer[Any]):
    """The shape of every error."""

    error = ErrorDetailSerializer()


def errors(*statuses: int) -> dict[int, OpenApiResponse]:
    """``responses`` entries for errors: the given ones and those of every call that needs a key."""
    return open_errors(401, 403, *statuses, 503)


def open_errors(*statuses: int) -> dict[int, OpenApiResponse]:
    """As ``errors``, for calls that need no key."""
    return {status: OpenApiResponse(ErrorSerializer, MEANINGS[status]) for status in statuses}


class CallSchema(AutoSchema):
    """Adds to every call the scope that its key needs."""

    def get_operation(self, *args: Any, **kwargs: Any) -> Any:
        operation = super().get_operation(*args, **kwargs)
        scope = getattr(self.view, "scopes", {}).get(self.method)
        if operation and scope:
            description = operation.get("description", "")
            operation["description"] = "\n\n".join(filter(None, [description, f"Scope: `{scope}`."]))
        return operation
