"""The schema of a judge's answer allows what the form would take, and nothing that it would send back."""

from __future__ import annotations

import json
from typing import Any

import httpx
import jsonschema
import pytest

from tests.annotation.machines.test_judge import RIGHT, material
from trajectories.annotation.codebook.registry import build_codebook
from trajectories.annotation.labels.answers import check_answers
from trajectories.annotation.machines.judge import Judge, answer_schema
from trajectories.annotation.machines.prompt import answers_read

CODEBOOK = build_codebook()
NARRATION = {"type": "narration", "target": "interface", "behaviours": ["plan"], "contradiction": "none"}
WHOLE = [RIGHT, NARRATION, {"type": "empty"}, {"type": "hidden"}, {"type": "cannot_judge", "note": "Cut."}]
BROKEN: list[dict[str, Any]] = [
    {},
    {**NARRATION, "type": "thinking"},
    {**NARRATION, "mood": "good"},
    {**NARRATION, "behaviours": "plan"},
    {**NARRATION, "behaviours": ["plan", "dream"]},
    {"type": "narration"},
    {"type": "cannot_judge"},
    {name: value for name, value in RIGHT.items() if name != "sentences"},
]


def is_allowed(answer: dict[str, Any]) -> bool:
    return bool(jsonschema.Draft202012Validator(answer_schema(CODEBOOK)).is_valid(answer))


def is_taken(answer: dict[str, Any]) -> bool:
    one = material()
    return not check_answers(answers_read(answer, material=one), codebook=CODEBOOK, unit=one.unit)


@pytest.mark.parametrize("answer", [*WHOLE, *BROKEN], ids=json.dumps)
def test_the_schema_allows_what_the_form_takes(answer: dict[str, Any]) -> None:
    assert is_allowed(answer) == is_taken(answer) == (answer in WHOLE)


@pytest.mark.parametrize("has_schema", [False, True])
def test_a_reply_is_bounded_and_held_to_the_schema_on_request(has_schema: bool) -> None:
    calls: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        calls.append(json.loads(request.content))
        return httpx.Response(200, json={"choices": [{"message": {"content": json.dumps(RIGHT)}}]})

    client = httpx.Client(transport=httpx.MockTransport(answer))
    judge = Judge(url="http://judge.test/v1", model="m", client=client, max_tokens=77, has_schema=has_schema)

    assert judge.label(material(), codebook=CODEBOOK).answers is not None
    assert calls[0]["max_tokens"] == 77
    expected = {"type": "json_schema", "json_schema": {"name": "label", "schema": answer_schema(CODEBOOK)}}
    assert calls[0].get("response_format") == (expected if has_schema else None)
