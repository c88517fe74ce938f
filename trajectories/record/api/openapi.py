"""The API's OpenAPI schema, built once per process: as JSON, YAML, and rows for the documentation page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.renderers import OpenApiYamlRenderer

COMPONENTS = "#/components/schemas/"
METHODS = ("get", "post", "put", "patch", "delete")


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "trajectories.record.api.auth.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "A key created by `manage.py create_key`."}


@cache
def schema() -> dict[str, Any]:
    """Return the OpenAPI 3 schema as a dictionary."""
    generator = SchemaGenerator(api_version="v1")  # type: ignore[no-untyped-call]
    document: dict[str, Any] = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return document


@cache
def schema_json() -> bytes:
    return msgspec.json.encode(schema())


@cache
def schema_yaml() -> bytes:
    text: bytes = OpenApiYamlRenderer().render(schema(), renderer_context={})  # type: ignore[no-untyped-call]
    return text


@cache
def docs() -> list[dict[str, Any]]:
    """List the page's chapters: ``[{"name", "calls": [{"method", "path", "fields", "answers"}]}]``."""
    chapters: dict[str, list[dict[str, Any]]] = {}
    for path, methods in schema()["paths"].items():
        for method in METHODS:
            if method in methods:
                chapter = path.removeprefix("/api/v1/").split("/")[0]
                chapters.setdefault(chapter, []).append(_call(method, path, methods[method]))
    return [{"name": name, "calls": calls} for name, calls in sorted(chapters.items())]


def _call(method: str, path: str, operation: Mapping[str, Any]) -> dict[str, Any]:
    body = _media(operation.get("requestBody", {}))
    return {
        "id": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": operation.get("summary", ""),
        "description": [_rich(part) for part in operation.get("description", "").split("\n\n") if part],
        "parameters": [_parameter(parameter) for parameter in operation.get("parameters", [])],
        "fields": _fields(body) if body else [],
        "answers": [_answer(status, answer) for status, answer in sorted(operation["responses"].items())],
    }


def _rich(text: str) -> SafeString:
    """Escape the text, and render what is between backticks as code."""
    pieces = (
        (("<code>{}</code>" if place % 2 else "{}"), piece) for place, piece in enumerate(text.split("`"))
    )
    return mark_safe("".join(format_html(form, piece) for form, piece in pieces))  # noqa: S308 (each is escaped)


def _parameter(parameter: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": parameter["name"],
        "where": parameter["in"],
        "type": _type(parameter["schema"]),
        "is_required": parameter.get("required", False),
        "text": _rich(parameter.get("description", "")),
    }


def _answer(status: str, answer: Mapping[str, Any]) -> dict[str, Any]:
    body = _media(answer)
    is_error = body.get("$ref", "") == f"{COMPONENTS}Error"
    return {
        "status": status,
        "text": _rich(answer.get("description", "")),
        "type": "" if is_error or not body else _type(body),
        "fields": [] if is_error or not body else _fields(body),
    }


def _fields(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the fields of an object, each with its path, including those of nested objects."""
    if body.get("type") == "array":
        return _walk(_resolve(body.get("items", {})), path="[]", seen=())
    return _walk(_resolve(body), path="", seen=())


def _walk(body: Mapping[str, Any], *, path: str, seen: tuple[str, ...]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    required = body.get("required", [])
    for name, field in body.get("properties", {}).items():
        place = f"{path}.{name}" if path else name
        rows.append(
            {
                "name": place,
                "type": _type(field),
                "is_required": name in required,
                "text": _rich(field.get("description") or _resolve(field).get("description", "")),
            }
        )
        inner, suffix = _inner(field)
        if inner and inner not in seen:
            rows += _walk(_named(inner), path=place + suffix, seen=(*seen, inner))
    return rows


def _inner(field: Mapping[str, Any]) -> tuple[str, str]:
    """Return the schema component that a field refers to, either directly or as the items of a list."""
    for candidate in (field, *field.get("allOf", []), *field.get("anyOf", []), *field.get("oneOf", [])):
        if "$ref" in candidate:
            return candidate["$ref"].removeprefix(COMPONENTS), ""
        if "$ref" in candidate.get("items", {}):
            return candidate["items"]["$ref"].removeprefix(COMPONENTS), "[]"
    return "", ""


def _type(field: Mapping[str, Any]) -> str:
    if "$ref" in field:
        component = _resolve(field)
        return field["$ref"].removeprefix(COMPONENTS) if "properties" in component else _type(component)
    for key in ("allOf", "anyOf", "oneOf"):
        if key in field:
            return " or ".join(dict.fromkeys(_type(option) for option in field[key]))
    if "enum" in field:
        return " | ".join("null" if value is None else str(value) for value in field["enum"])
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}))}"
    kinds = field.get("type", "any")
    return kinds if isinstance(kinds, str) else " or ".join(kinds)


def _resolve(field: Mapping[str, Any]) -> Mapping[str, Any]:
    return _named(field["$ref"].removeprefix(COMPONENTS)) if "$ref" in field else field


def _named(name: str) -> Mapping[str, Any]:
    component: Mapping[str, Any] = schema()["components"]["schemas"].get(name, {})
    return component


def _media(part: Mapping[str, Any]) -> Mapping[str, Any]:
    for content in part.get("content", {}).values():
        body: Mapping[str, Any] = content.get("schema", {})
        return body
    return {}
