"""The OpenAPI descriptions that calls share: their errors and the scope of their key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from drf_spectacular.extensions import OpenApiSerializerExtension, OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse, extend_schema
from msgspec import Struct
from rest_framework import serializers

from core.integers import BIGINT_MAX
from core.struct_schema import struct_body

Handler = TypeVar("Handler", bound=Callable[..., Any])

MEANINGS = {
    400: "The request is not valid; `fields` names the invalid fields.",
    401: "The key is missing or unknown.",
    403: "The key lacks the required scope.",
    404: "It does not exist, or this key may not see it.",
    409: "This conflicts with stored data.",
    413: "Too large; the message names the limit and its setting.",
    422: "The request is well formed, but cannot be carried out.",
    429: "The installation is at capacity, or the key sent too much; retry after `Retry-After` seconds.",
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


def call(
    operation_id: str,
    summary: str,
    *,
    answers: Mapping[Any, Any],
    body: Any = None,
    errors: Sequence[int] = (),
    parameters: Sequence[Any] = (),
    description: str | None = None,
    is_open: bool = False,
) -> Callable[[Handler], Handler]:
    """Describe a call in the schema. ``body`` and answers are serializers or msgspec structs.

    ``answers`` are by status, each with its meaning if that is not plain. ``errors`` are those besides the
    ones of every call that needs a key, which an open call does not.
    """

    def described(handler: Handler) -> Handler:
        own = sorted({*errors, *getattr(handler, "errors", ())})
        failures = own if is_open else (401, 403, *own, 503)
        return extend_schema(
            operation_id=operation_id,
            summary=summary,
            description=description,
            parameters=[*getattr(handler, "parameters", ()), *parameters],
            request={"application/json": _shape(body)} if _is_struct(body) else body,
            responses={
                **{status: _answer(answer) for status, answer in answers.items()},
                **{status: OpenApiResponse(ErrorSerializer, MEANINGS[status]) for status in failures},
            },
            auth=[] if is_open else None,
        )(handler)

    return described


def _answer(answer: Any) -> Any:
    if isinstance(answer, tuple):
        return OpenApiResponse(_shape(answer[0]), answer[1])
    return _shape(answer)


def _shape(shape: Any) -> Any:
    return struct_body(shape) if _is_struct(shape) else shape


def _is_struct(shape: Any) -> bool:
    return isinstance(shape, type) and issubclass(shape, Struct)


class CallSchema(AutoSchema):
    """Adds to every call the scope that its key needs."""

    def get_operation(self, *args: Any, **kwargs: Any) -> Any:
        operation = super().get_operation(*args, **kwargs)
        scope = getattr(self.view, "scopes", {}).get(self.method)
        if operation and scope:
            description = operation.get("description", "")
            operation["description"] = "\n\n".join(filter(None, [description, f"Scope: `{scope}`."]))
        return operation


class StrictBody(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Adds to a strict serializer's schema that it takes no other fields, and its rules."""

    target_class = "core.fields.StrictSerializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Any) -> Any:
        schema = auto_schema._map_serializer(  # type: ignore[no-untyped-call]
            self.target, direction, bypass_extensions=True
        )
        return {**schema, "additionalProperties": False, **self.target.rules}


class IdList(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    target_class = "core.fields.IdListField"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Any) -> Any:
        ids = {"type": "integer", "minimum": 1, "maximum": BIGINT_MAX}
        most = self.target.max_length
        return {"type": "array", "items": ids, "minItems": 1, "maxItems": most, "uniqueItems": True}


# Python strips separators and line ends that are no white space to the regular expressions of JSON schema.
_NOT_BLANK = r"[^\s\x1c-\x1f\x85]"


class NoBlank(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Adds to a text's schema that it is not all white space, which REST framework strips before counting."""

    target_class = "rest_framework.serializers.CharField"
    match_subclasses = True

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Any) -> Any:
        schema = auto_schema._map_serializer_field(  # type: ignore[no-untyped-call]
            self.target, direction, bypass_extensions=True
        )
        schema = {**schema, "type": "string"}  # whether it may be null is added to what an extension returns
        if direction == "response" or self.target.allow_blank or not self.target.trim_whitespace:
            return schema
        return {"pattern": _NOT_BLANK, **schema}


def calls_complete(result: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
    """Complete the schema (drf-spectacular's post-processing hook): an empty query parameter counts as none,
    and a body with required fields is required.
    """
    schemas = result.get("components", {}).get("schemas", {})
    for methods in result["paths"].values():
        for call_ in methods.values():
            for parameter in call_.get("parameters", ()):
                if parameter["in"] == "query" and not parameter.get("required"):
                    parameter["allowEmptyValue"] = True
            if "requestBody" in call_ and any(
                _has_required(content["schema"], schemas)
                for content in call_["requestBody"]["content"].values()
            ):
                call_["requestBody"]["required"] = True
    return result


def _has_required(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> bool:
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return bool(schemas.get(name, schema).get("required"))
