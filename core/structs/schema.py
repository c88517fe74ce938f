"""msgspec structs: their preparation, and as OpenAPI components, which state what hot calls check."""

from __future__ import annotations

import contextlib
from enum import Enum
from typing import Any

import msgspec


def limit(setting: str) -> msgspec.Meta:
    """Name in the schema the setting that bounds a value, which no shape can: it is checked at reading."""
    return msgspec.Meta(extra_json_schema={"x-limit": setting})


_REFERENCES = "#/components/schemas/{name}"
_structs: dict[str, type[msgspec.Struct]] = {}


def struct_body(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """Refer to a struct in ``extend_schema(request=..., responses=...)``; it becomes a component."""
    _structs[struct.__name__] = struct
    return {"$ref": _REFERENCES.format(name=struct.__name__)}


def query_schema(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the schema of a query, whose properties are its parameters."""
    _, components = msgspec.json.schema_components([struct], ref_template=_REFERENCES)
    schema: dict[str, Any] = components[struct.__name__]
    return schema


def components_append(result: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
    """Add every struct that a view refers to, by name (drf-spectacular's post-processing hook)."""
    _, components = msgspec.json.schema_components(
        _structs.values(), schema_hook=_choices_schema, ref_template=_REFERENCES
    )
    schemas = result.setdefault("components", {}).setdefault("schemas", {})
    for name, schema in sorted(components.items()):
        schemas.setdefault(name, {**schema, **getattr(_structs.get(name), "rules", {})})
    return result


def _choices_schema(choices: type) -> dict[str, Any]:
    """Return the schema of a model's choices, which msgspec reads as an enum but cannot describe."""
    if not issubclass(choices, Enum):
        raise NotImplementedError
    return {"enum": [member.value for member in choices]}


def structs_prepare() -> None:
    """Initialise every struct; call it once all code is loaded, before threads decode records.

    msgspec (0.22) reads them when a struct is first used, and lets another thread that uses it then see it
    half read: the process dies of a segmentation fault.
    """
    structs: list[type[msgspec.Struct]] = [msgspec.Struct]
    for struct in structs:
        structs += struct.__subclasses__()
        with contextlib.suppress(TypeError):  # one that is only written may not be readable
            msgspec.json.Decoder(struct)
