"""An id is one segment of a path: no call of the client can be led to another address by one."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator
from typing import Any

import pytest

from fake_server import FakeServer
from palaestra import Client, PalaestraError
from palaestra.exports import Exports
from palaestra.http.paths import blob_path, build_path

HOSTILE: list[Any] = [
    "..",
    "../runs",
    "7/../../tasks",
    "7/close",
    "7?x=1",
    "7#x",
    "%2e%2e%2fruns",
    "a\\b",
    "a b",
    "a\n",
    "",
    ".",
    "\u0661/",
    "x" * 300,
    -1,
    1.5,
    True,
    None,
]
DIGEST = "0" * 63 + "f"
IDS = (
    "abstraction",
    "episode",
    "export",
    "group",
    "intervention",
    "report",
    "run",
    "sampler",
    "digest",
    "name",
)
OTHERS: dict[str, Any] = {
    "answer": "42",
    "arguments": {},
    "count": 1,
    "episodes": [],
    "folder": "/nowhere",
    "history": "full",
    "policy_version": 1,
    "reason": "agent_stopped",
    "step": 1,
    "steps": [],
    "tool": "calculator",
    "values": {},
    "version": 1,
}


@pytest.mark.parametrize("given", HOSTILE)
def test_what_is_no_id_makes_no_path(given: Any) -> None:
    with pytest.raises(PalaestraError, match="not an id"):
        build_path("runs/{}", given)


@pytest.mark.parametrize(
    "given", [*HOSTILE, DIGEST.upper(), DIGEST[1:], f"{DIGEST}\n", f"{DIGEST}/", 64 * "g"]
)
def test_only_64_hexadecimal_digits_name_a_blob(given: Any) -> None:
    with pytest.raises(PalaestraError, match="not a SHA-256"):
        blob_path(given)


def test_ids_and_names_are_written_as_they_are() -> None:
    assert build_path("reports/{}/files/{}", 7, "table_1.csv") == "reports/7/files/table_1.csv"
    assert build_path("runs/{}", "12") == "runs/12"
    assert blob_path(DIGEST).endswith(f"/{DIGEST}")


def _calls_by_id() -> list[tuple[type, str, str]]:
    """Every method of the client with an id that it puts into a path, and that id's name."""
    in_body_or_query = {"sampler_create", "samplers", "episodes_open", "tasks_stats", "interventions"}
    in_body_or_query |= {"abstractions", "abstraction_create"}
    run_in_body = {"run_create", "report_create", "intervention_open"}
    return [
        (kind, method, name)
        for kind in (Client, Exports)
        for method, function in inspect.getmembers(kind, inspect.isfunction)
        if not method.startswith("_") and method not in in_body_or_query
        for name in inspect.signature(function).parameters
        if name in IDS and not (name in ("run", "name") and method in run_in_body)
    ]


def test_the_table_has_the_calls_that_name_something() -> None:
    assert len(_calls_by_id()) > 25


@pytest.mark.parametrize(("kind", "method", "name"), _calls_by_id())
async def test_no_call_follows_a_hostile_id(kind: type, method: str, name: str, fake: FakeServer) -> None:
    async with Client(fake.lab_url, "key") as client:
        await client.health()
        fake.state.calls.clear()
        owner = client if kind is Client else client.exports
        function = getattr(owner, method)
        for given in ("../runs", "7/close", "..", True):
            arguments = {
                parameter: OTHERS.get(parameter, DIGEST if parameter == "digest" else 1)
                for parameter, spec in inspect.signature(function).parameters.items()
                if spec.default is inspect.Parameter.empty and spec.kind is not inspect.Parameter.VAR_KEYWORD
            }
            arguments[name] = given
            with pytest.raises(PalaestraError, match=r"not an id|not a SHA-256"):
                await _called(function(**arguments))
    assert fake.state.calls == []


async def _called(made: Any) -> None:
    if isinstance(made, AsyncIterator):
        async for _ in made:
            return
    else:
        await made
