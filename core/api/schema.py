"""OpenAPI descriptions that all calls share: their errors and the scope that a key needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, TypeVar, get_args, get_origin

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from msgspec import Meta, Struct

from core.structs.schema import query_schema, struct_body

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


class ErrorDetail(Struct):
    code: Annotated[str, Meta(description="Stable code for programs.")]
    message: Annotated[str, Meta(description="Message for people: what is wrong, and what to do.")]
    fields: Annotated[dict[str, list[str]], Meta(description="Messages by field, e.g. `steps.0.index`.")]


class Error(Struct):
    """The shape of every error."""

    error: ErrorDetail


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
    """Describe a call in the schema. Bodies, answers and queries (in ``parameters``) are given as structs.

    ``answers`` maps each status to a struct, or to a struct and its description. ``errors`` lists the
    statuses to add to 401, 403 and 503, which every call has unless it ``is_open`` (needs no key).
    """

    def described(handler: Handler) -> Handler:
        own = sorted({*errors, *getattr(handler, "errors", ())})
        failures = own if is_open else (401, 403, *own, 503)
        return extend_schema(
            operation_id=operation_id,
            summary=summary,
            description=description,
            parameters=[*getattr(handler, "parameters", ()), *_flat(parameters)],
            request={"application/json": _shape(body)} if _is_struct(body) else body,
            responses={
                **{status: _answer(answer) for status, answer in answers.items()},
                **{status: OpenApiResponse(_shape(Error), MEANINGS[status]) for status in failures},
            },
            auth=[] if is_open else None,
        )(handler)

    return described


def _answer(answer: Any) -> Any:
    if isinstance(answer, tuple):
        return OpenApiResponse(_shape(answer[0]), answer[1])
    return _shape(answer)


def _shape(shape: Any) -> Any:
    if get_origin(shape) is list:
        return {"type": "array", "items": _shape(get_args(shape)[0])}
    return struct_body(shape) if _is_struct(shape) else shape


def _flat(parameters: Sequence[Any]) -> Iterator[OpenApiParameter]:
    """Yield the parameters; a query struct is replaced by one parameter for each of its fields."""
    for parameter in parameters:
        if _is_struct(parameter):
            yield from _query_parameters(parameter)
        else:
            yield parameter


def _query_parameters(query: type[Struct]) -> Iterator[OpenApiParameter]:
    schema = query_schema(query)
    for name, value in schema["properties"].items():
        description = value.pop("description", "")
        is_required = name in schema["required"]
        yield OpenApiParameter(name, type=value, required=is_required, description=description)


def _is_struct(shape: Any) -> bool:
    return isinstance(shape, type) and issubclass(shape, Struct)


class CallSchema(AutoSchema):
    """Schema generator that adds to each call's description the scope that its key needs."""

    def get_operation(self, *args: Any, **kwargs: Any) -> Any:
        operation = super().get_operation(*args, **kwargs)
        scope = getattr(self.view, "scopes", {}).get(self.method)
        if operation and scope:
            description = operation.get("description", "")
            operation["description"] = "\n\n".join(filter(None, [description, f"Scope: `{scope}`."]))
        return operation


def calls_complete(result: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
    """Complete the schema (drf-spectacular's post-processing hook).

    An empty query parameter counts as missing, and a body with required fields is itself required.
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
