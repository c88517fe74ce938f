"""What the OpenAPI schema says of every call: its errors, its key, its pages."""

from __future__ import annotations

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers

MEANINGS = {
    400: "The request is not valid; `fields` names what is not.",
    401: "No key, or one that is not known.",
    403: "The key has not the scope that this needs.",
    404: "There is no such thing, or this key may not see it.",
    409: "This contradicts what is stored already.",
    413: "Too large; the message names the limit and its setting.",
    422: "Well formed, but it cannot be done.",
    429: "The installation is full; try again after `Retry-After` seconds.",
    503: "Something that this needs is down; the same call may be sent again.",
}


class ErrorDetailSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="Stable; programs may compare it.")
    message = serializers.CharField(help_text="For the person who reads it: what is wrong and what to do.")
    fields = serializers.DictField(  # type: ignore[assignment]  # the contract's name
        child=serializers.ListField(child=serializers.CharField()),
        help_text="Messages by field, e.g. `steps.0.index`.",
    )


class ErrorSerializer(serializers.Serializer[Any]):
    """Every refusal has this one shape."""

    error = ErrorDetailSerializer()


def errors(*statuses: int) -> dict[int, OpenApiResponse]:
    """``responses`` entries for refusals, beside those that every keyed call has: it asks the database."""
    return open_errors(401, 403, *statuses, 503)


def open_errors(*statuses: int) -> dict[int, OpenApiResponse]:
    """As ``errors``, for calls that need no key."""
    return {status: OpenApiResponse(ErrorSerializer, MEANINGS[status]) for status in statuses}


class CallSchema(AutoSchema):
    """Says of every call which scope its key needs."""

    def get_operation(self, *args: Any, **kwargs: Any) -> Any:
        operation = super().get_operation(*args, **kwargs)
        scope = getattr(self.view, "scopes", {}).get(self.method)
        if operation and scope:
            said = operation.get("description", "")
            operation["description"] = "\n\n".join(filter(None, [said, f"Scope: `{scope}`."]))
        return operation
