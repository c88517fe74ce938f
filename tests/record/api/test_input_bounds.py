"""Every list, text and object that a call takes has a bound that its schema states."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from django.conf import settings

from tests import factories
from tests.reports.plans import plan
from trajectories.record.api import openapi
from trajectories.reports.plan import TASKS_MAX

PARTS = ("oneOf", "anyOf", "allOf")
FIXED = ("enum", "const")
FIXED_FORMATS = ("date-time", "uuid", "binary")


def unbounded(schema: Mapping[str, Any], known: Mapping[str, Any], path: str) -> Iterator[str]:
    """Places of a schema that may be of any size; what a setting bounds names it (``x-limit``)."""
    schema = {**known.get(schema.get("$ref", "").rpartition("/")[2], {}), **schema}
    yield from (
        place for part in PARTS for one in schema.get(part, ()) for place in unbounded(one, known, path)
    )
    setting = schema.get("x-limit")
    is_limited = "x-max-bytes" in schema or (setting is not None and hasattr(settings, setting))
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "array" in kinds:
        if not is_limited and "maxItems" not in schema:
            yield path
        yield from unbounded(schema.get("items", {}), known, f"{path}[]")
    if "string" in kinds and not is_limited and not _is_short(schema):
        yield path
    for name, part in schema.get("properties", {}).items():
        yield from unbounded(part, known, f"{path}.{name}")
    values = schema.get("additionalProperties", "properties" not in schema)
    if "object" in kinds and values is not False:
        if not is_limited and "maxProperties" not in schema:
            yield path
        if isinstance(values, dict) and values and not is_limited:
            yield from unbounded(values, known, f"{path}{{}}")
    if (
        not kinds
        and not is_limited
        and not any(name in schema for name in (*PARTS, *FIXED, "$ref", "required"))
    ):
        yield path  # anything at all


def _is_short(schema: Mapping[str, Any]) -> bool:
    if (
        "maxLength" in schema
        or schema.get("format") in FIXED_FORMATS
        or any(name in schema for name in FIXED)
    ):
        return True
    pattern = schema.get("pattern", "*")
    return pattern.startswith("^") and pattern.endswith("$") and not re.search(r"[*+]|\{\d+,\}", pattern)


def inputs() -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path, methods in openapi.schema()["paths"].items():
        for method, call in methods.items():
            for parameter in call.get("parameters", ()):
                yield f"{method} {path} ?{parameter['name']}", parameter["schema"]
            for content in call.get("requestBody", {}).get("content", {}).values():
                yield f"{method} {path} ", content["schema"]


def test_every_input_has_a_bound() -> None:
    known = openapi.schema()["components"]["schemas"]
    schemas = dict(inputs())
    assert len(schemas) > 50
    assert [place for path, schema in schemas.items() for place in unbounded(schema, known, path)] == []


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "integer"}},
        {"type": ["array", "null"], "maxItems": 9, "items": {"type": "string"}},
        {"anyOf": [{"type": "null"}, {"type": "string"}]},
        {"type": "string", "pattern": "^[a-z]+$"},
        {"type": "string", "x-limit": "NO_SUCH_SETTING"},
        {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/Open"}}},
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"description": "anything"},
    ],
)
def test_what_has_no_bound_is_named(schema: dict[str, Any]) -> None:
    assert list(unbounded(schema, {"Open": {"type": "string"}}, "body"))


def _evaluation(**fields: Any) -> dict[str, Any]:
    return {"name": "x", "plan": plan(**fields)}


@pytest.mark.django_db
def test_a_plan_of_many_tasks_costs_no_more_than_reading_it(api: Callable[..., Any]) -> None:
    """Processor time, which a busy machine does not change; the limit is far above what it takes."""
    lists = [{"slug": f"b{place}", "task_ids": list(range(1, 30_001))} for place in range(50)]
    client, before = api("trainer"), time.process_time()
    status, answer = client.json("POST", "/reports", _evaluation(benchmarks=lists))
    assert status == 400
    assert f"1,500,000 tasks in all; the limit is {TASKS_MAX:,}" in str(answer["error"]["fields"])
    assert time.process_time() - before < 5


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("contrasts", "words"),
    [
        ([["text_zero_shot", "gym"], ["text_zero_shot", "gym"]], "are compared twice"),
        ([["text_zero_shot", "gym"], ["gym", "text_zero_shot"]], "are compared twice"),
        ([["gym", "gym"]], "is compared with itself"),
    ],
)
def test_doubled_and_reversed_contrasts_are_refused(
    api: Callable[..., Any], contrasts: list[list[str]], words: str
) -> None:
    body = _evaluation(arms=["text_zero_shot", "gym"], contrasts=contrasts)
    status, answer = api("trainer").json("POST", "/reports", body)
    assert status == 400
    assert words in str(answer["error"]["fields"])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("tasks", "words"),
    [
        ([1, 2, 1], "occurs twice"),
        ([0], "is not an id"),
        ([True], "is not an id"),
        (["1"], "is not an id"),
        ([], "between 1"),
    ],
)
def test_lists_of_tasks_are_of_different_ids(api: Callable[..., Any], tasks: list[Any], words: str) -> None:
    body = _evaluation(benchmarks=[{"slug": "gsm8k", "task_ids": tasks}])
    status, answer = api("trainer").json("POST", "/reports", body)
    assert (status, words in str(answer["error"]["fields"])) == (400, True)


@pytest.mark.django_db
def test_a_sampler_takes_few_tags(api: Callable[..., Any]) -> None:
    tasks = {"tags": [f"tag{number}" for number in range(100_000)]}
    body = {"run": factories.run().pk, "strategy": {"kind": "uniform"}, "tasks": tasks}
    status, answer = api("trainer").json("POST", "/samplers", body)
    assert (status, answer["error"]["code"]) == (400, "invalid")
    assert answer["error"]["fields"]["tasks.tags"] == ["At most 100 items."]
