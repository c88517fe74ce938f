"""Strict JSON schemas of actions, built from the action table.

Every field is required; optional fields may be null.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palaestra.actions.base import list_readers
from palaestra.protocol.actions import FieldSpec
from palaestra.protocol.offers import Conditions, example_of, fields_offered

Schema = dict[str, Any]


def action_schemas(kind: str, conditions: Conditions) -> list[Schema]:
    """Return the schemas of an action, as an object with a ``type``: a short one and the whole one.

    The short schema has only the fields of the action's example. Weak models need it, because they invent a
    value for every field that they must write instead of writing null.
    """
    type_: dict[str, Schema] = {"type": {"type": "string", "enum": [kind]}}
    specs, usual = fields_offered(kind, conditions), example_of(kind, conditions)
    whole = fields_schemas(kind, conditions)
    short = {spec.name: _described(kind, spec) for spec in specs if spec.name in usual}
    variants = [whole] if short.keys() == whole.keys() else [short, whole]
    return [object_schema(type_ | fields) for fields in variants]


def fields_schemas(kind: str, conditions: Conditions) -> dict[str, Schema]:
    """Return the schemas of an action's fields, by name."""
    specs = fields_offered(kind, conditions)
    described = {spec.name: _described(kind, spec) for spec in specs}
    return {
        spec.name: described[spec.name] if spec.is_required else _nullable(described[spec.name])
        for spec in specs
    }


def object_schema(properties: Mapping[str, Schema]) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def nulls_drop(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields without those that are null, because null means that a field was left out."""
    return {name: item for name, item in fields.items() if item is not None}


def _described(kind: str, spec: FieldSpec) -> Schema:
    schema = list_readers(kind)[spec.name].schema
    return {**_schema_strict(schema), "description": spec.description}


def _schema_strict(schema: Schema) -> Schema:
    """Make every property of the objects in a schema required."""
    if schema.get("type") == "array":
        return {**schema, "items": _schema_strict(schema["items"])}
    if schema.get("type") != "object" or "properties" not in schema:
        return schema
    required = schema.get("required", ())
    properties = {name: _schema_strict(each) for name, each in schema["properties"].items()}
    return object_schema(
        {name: each if name in required else _nullable(each) for name, each in properties.items()}
    )


def _nullable(schema: Schema) -> Schema:
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    nullable = {**schema, "type": [schema["type"], "null"]}
    return {**nullable, "enum": [*schema["enum"], None]} if "enum" in schema else nullable
