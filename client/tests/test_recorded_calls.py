from __future__ import annotations

import json

import pytest

from palaestra.protocol.completions import RecordedCall, record_read, record_write

CALL = {"id": "c1", "name": "click", "arguments": '{"target": "e1"}'}


def record(**changes: object) -> str:
    return json.dumps({"content": "Thus.", "tool_calls": [CALL], **changes})


def test_a_record_is_read_as_it_was_written() -> None:
    calls = [RecordedCall(id="c1", name="click", arguments="{"), RecordedCall(name="back", arguments="")]
    assert record_read(record_write("Thüs.", calls)) == ("Thüs.", calls)
    assert record_write("Thus.", [RecordedCall(**CALL)]) == record()


@pytest.mark.parametrize(
    "raw",
    [
        "Thus.",
        "[]",
        "null",
        '{"content": "cut',
        '{"content": "a", "tool_calls": ' + "[" * 100_000,
        '{"content": "\\ud800", "tool_calls": []}',
        record() + " And more.",
        record(content=None),
        record(tool_calls={}),
        record(tool_calls=["click"]),
        record(tool_calls=[{"name": "click"}]),
        record(tool_calls=[{**CALL, "arguments": {}}]),
        record(tool_calls=[{**CALL, "id": None}]),
        record(more=1),
    ],
)
def test_what_is_no_record_is_text(raw: str) -> None:
    assert record_read(raw) == (raw, [])
