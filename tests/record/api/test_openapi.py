from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings
from django.core.management import call_command
from django.urls import URLPattern, URLResolver, get_resolver

from trajectories.actions.types import ACTIONS
from trajectories.record.api import openapi

COMMITTED = Path(__file__).resolve().parents[3] / "docs" / "openapi.yaml"
METHODS = {"get", "post", "put", "patch", "delete"}


def _operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in openapi.schema()["paths"].items():
        for method in sorted(METHODS & set(methods)):
            yield f"{method.upper()} {path}", methods[method]


def test_the_committed_schema_is_current_and_generated_without_warnings(tmp_path: Path) -> None:
    made = tmp_path / "openapi.yaml"
    errors = io.StringIO()

    call_command("spectacular", "--fail-on-warn", "--validate", file=str(made), stderr=errors)

    assert made.read_text() == COMMITTED.read_text(), (
        "make it again: manage.py spectacular --file docs/openapi.yaml"
    )


def test_every_address_of_the_api_is_in_the_schema() -> None:
    described = {re.sub(r"\{[^}]+\}", "{}", path) for path in openapi.schema()["paths"]}

    routed = {re.sub(r"<[^>]+>", "{}", route) for route in _routes(get_resolver().url_patterns, "/")}

    assert routed - described == set()


def _routes(patterns: list[URLPattern | URLResolver], prefix: str) -> Iterator[str]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, route)
        elif route.startswith("/api/v1/") and "^" not in route:
            yield route


def test_every_call_describes_its_request_and_response() -> None:
    """All in one test: as parameters they would have each process that collects the tests make the schema."""
    for name, operation in _operations():
        assert operation["summary"], name
        answers = operation["responses"]
        good = [answer for status, answer in answers.items() if status.startswith("2")]
        assert good, name
        assert all(content["schema"] for answer in good for content in answer["content"].values()), name
        if operation.get("security", [{}]) != [{}]:
            assert {"401", "403"} <= set(answers), name
            assert "Scope: `" in operation["description"], name
        for status, answer in answers.items():
            if status.startswith("4"):
                described = answer["content"]["application/json"]["schema"]
                assert described["$ref"] == "#/components/schemas/Error", name


def test_the_schema_states_what_calls_refuse() -> None:
    """What the shapes of fields alone do not say, found by fuzzing."""
    paths, components = openapi.schema()["paths"], openapi.schema()["components"]["schemas"]

    close = paths["/api/v1/episodes/{episode_id}/close"]["post"]
    (key,) = [each for each in close["parameters"] if each["name"] == "Idempotency-Key"]
    assert re.fullmatch(key["schema"]["pattern"], "a key")
    assert not re.fullmatch(key["schema"]["pattern"], "")
    assert "422" in close["responses"]
    assert close["requestBody"]["required"]
    assert components["CancelIn"]["additionalProperties"] is False
    assert {"required": ["groups"]} in components["CancelIn"]["oneOf"]
    assert components["CancelIn"]["properties"]["groups"]["minItems"] == 1
    assert components["MetricsIn"]["properties"]["values"]["minProperties"] == 1
    started = components["StepIn"]["properties"]["started_at"]["anyOf"]
    assert {"type": "string", "format": "date-time"} in started
    filters = paths["/api/v1/tasks"]["get"]["parameters"]
    assert all(each["allowEmptyValue"] for each in filters if each["in"] == "query")


def test_every_reference_of_the_schema_resolves() -> None:
    text = openapi.schema_json().decode()

    referenced = set(re.findall(r'"#/components/schemas/([^"]+)"', text))

    assert referenced <= set(openapi.schema()["components"]["schemas"])


def test_the_schema_is_served_without_a_key(api: Callable[..., Any]) -> None:
    as_yaml, as_json = (api().get(f"/api/v1/schema{query}") for query in ("", "?format=json"))

    assert yaml.safe_load(as_yaml.getvalue()) == as_json.json()
    assert as_json.json()["openapi"].startswith("3.")
    assert api().get("/api/v1/schema?format=xml").status_code == 400


def test_the_api_page_describes_every_call_and_loads_nothing_external(api: Callable[..., Any]) -> None:
    response = api().get("/api/v1/docs")
    page = response.content.decode()

    assert response.status_code == 200
    for _, operation in _operations():
        assert f'id="{operation["operationId"]}"' in page
    assert "episodes[].start_url" in page
    assert "/wait/runs/{id}/verdicts" in page
    assert settings.LIVE_URL in page
    assert "Scope: <code>read</code>." in page
    assert "&lt;" not in page.replace("&lt;key&gt;", "")
    assert "<script" not in page
    assert " style=" not in page
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page)


def test_text_on_the_page_is_escaped() -> None:
    assert openapi._rich("a `<b>` <i>{}") == "a <code>&lt;b&gt;</code> &lt;i&gt;{}"


def test_the_schema_lists_every_action_with_its_fields(api: Callable[..., Any]) -> None:
    steps = openapi.schema()["components"]["schemas"]["StepIn"]["properties"]
    page = api().get("/api/v1/docs").content.decode()

    for name, kind in ACTIONS.items():
        assert all(
            f"`{one}`" in steps["action"]["description"]
            for one in (name, *(field.name for field in kind.spec.fields))
        )
    assert (
        ", `back`, `call_tool` (`tool`, `arguments`), `click` (`target`, `button`, `double`, `x`, `y`), "
        in steps["action"]["description"]
    )
    assert "<code>arguments</code>), <code>click</code> (<code>target</code>, <code>button</code>" in page
