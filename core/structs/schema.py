"""Preparation of msgspec structs, and their description as OpenAPI components."""

from __future__ import annotations

import contextlib
from enum import Enum
from typing import Any

import msgspec


def limit(setting: str) -> msgspec.Meta:
    """Name the setting that bounds a value in the schema. The limit itself is checked at parsing."""
    return msgspec.Meta(extra_json_schema={"x-limit": setting})


_REFERENCES = "#/components/schemas/{name}"
_structs: dict[str, type[msgspec.Struct]] = {}


def struct_body(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """Return a reference to a struct for ``extend_schema``; the struct becomes an OpenAPI component."""
    _structs[struct.__name__] = struct
    return {"$ref": _REFERENCES.format(name=struct.__name__)}


def query_schema(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the schema of a query struct; its properties are the query's parameters."""
    _, components = msgspec.json.schema_components([struct], ref_template=_REFERENCES)
    schema: dict[str, Any] = components[struct.__name__]
    return schema


def components_append(result: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
    """Add every struct that a view refers to as a component (drf-spectacular's post-processing hook)."""
    _, components = msgspec.json.schema_components(
        _structs.values(), schema_hook=_choices_schema, ref_template=_REFERENCES
    )
    schemas = result.setdefault("components", {}).setdefault("schemas", {})
    for name, schema in sorted(components.items()):
        schemas.setdefault(name, {**schema, **getattr(_structs.get(name), "rules", {})})
    return result


def _choices_schema(choices: type) -> dict[str, Any]:
    """Return the schema of a model's choices, which msgspec can parse as an enum but cannot describe."""
    if not issubclass(choices, Enum):
        raise NotImplementedError
    return {"enum": [member.value for member in choices]}


def structs_prepare() -> None:
    """Initialise every struct. Call it once all code is loaded and before threads decode anything.

    msgspec (0.22) inspects a struct when it is first used. Another thread that uses the struct meanwhile sees
    it half inspected, and the process dies of a segmentation fault.
    """
    structs: list[type[msgspec.Struct]] = [msgspec.Struct]
    for struct in structs:
        structs += struct.__subclasses__()
        with contextlib.suppress(TypeError):  # structs that are only encoded may have no decoder
            msgspec.json.Decoder(struct)
