"""msgspec structs as OpenAPI components, so that the schema states what hot calls check."""

from __future__ import annotations

from enum import Enum
from typing import Any, TypeVar

import msgspec

from core import api


def limit(setting: str) -> msgspec.Meta:
    """Name in the schema the setting that bounds a value, which no shape can: it is checked at reading."""
    return msgspec.Meta(extra_json_schema={"x-limit": setting})


_structs: dict[str, type[msgspec.Struct]] = {}


def struct_body(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """Refer to a struct in ``extend_schema(request=..., responses=...)``; it becomes a component."""
    _structs[struct.__name__] = struct
    return {"$ref": f"#/components/schemas/{struct.__name__}"}


def json_body(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """Wrap ``struct_body`` as the JSON body of a request."""
    return {"application/json": struct_body(struct)}


def components_append(result: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
    """Add every struct that a view refers to (drf-spectacular's post-processing hook)."""
    _, components = msgspec.json.schema_components(
        _structs.values(), schema_hook=_choices_schema, ref_template="#/components/schemas/{name}"
    )
    schemas = result.setdefault("components", {}).setdefault("schemas", {})
    for name, schema in components.items():
        schemas.setdefault(name, schema)
    return result


def _choices_schema(choices: type) -> dict[str, Any]:
    """Return the schema of a model's choices, which msgspec reads as an enum but cannot describe."""
    if not issubclass(choices, Enum):
        raise NotImplementedError
    return {"enum": [member.value for member in choices]}


T = TypeVar("T", bound=msgspec.Struct)


def struct_read(value: Any, struct: type[T]) -> T:
    """Convert a decoded body to its struct. Raises ``GymError`` 400 ``invalid`` with the invalid field."""
    try:
        return msgspec.convert(value, struct)
    except msgspec.ValidationError as error:
        raise api.invalid_body(error, model=struct) from None
