"""msgspec structs as OpenAPI components, so that the schema states what hot calls check."""

from __future__ import annotations

from enum import Enum
from typing import Any, TypeVar

import msgspec

from core import api


def limit(setting: str) -> msgspec.Meta:
    """Says in the schema which setting bounds a value that no shape can: it is checked when it is read."""
    return msgspec.Meta(extra_json_schema={"x-limit": setting})


_structs: dict[str, type[msgspec.Struct]] = {}


def struct_body(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """A reference to a struct for ``extend_schema(request=..., responses=...)``; it becomes a component."""
    _structs[struct.__name__] = struct
    return {"$ref": f"#/components/schemas/{struct.__name__}"}


def json_body(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """As ``struct_body``, for a request."""
    return {"application/json": struct_body(struct)}


def components_append(result: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
    """drf-spectacular's post-processing hook: adds every struct that a view refers to."""
    _, components = msgspec.json.schema_components(
        _structs.values(), schema_hook=_choices_schema, ref_template="#/components/schemas/{name}"
    )
    schemas = result.setdefault("components", {}).setdefault("schemas", {})
    for name, schema in components.items():
        schemas.setdefault(name, schema)
    return result


def _choices_schema(choices: type) -> dict[str, Any]:
    """The schema of a model's choices, which msgspec reads as an enum but cannot describe."""
    if not issubclass(choices, Enum):
        raise NotImplementedError
    return {"enum": [member.value for member in choices]}


T = TypeVar("T", bound=msgspec.Struct)


def struct_read(value: Any, struct: type[T]) -> T:
    """The struct of a decoded body; ``GymError`` 400 ``invalid`` names the field that is wrong."""
    try:
        return msgspec.convert(value, struct)
    except msgspec.ValidationError as error:
        raise api.invalid_body(error, model=struct) from None
