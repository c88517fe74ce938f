"""Documents in TOML: read as JSON in a child, or refused in words."""

from __future__ import annotations

import json

import pytest

from core.text import toml_document
from core.text.toml_document import TOO_MUCH, TomlRefused, toml_as_json


def test_a_document_is_read_as_json() -> None:
    text = '\ufeffname = "ä\U0001f600"\nday = 2020-02-01\n[[rows]]\nn = 1.5\n'
    assert json.loads(toml_as_json(text.encode())) == {
        "name": "ä\U0001f600",
        "day": "2020-02-01",
        "rows": [{"n": 1.5}],
    }


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"a = \n", "line 1"),
        (b'a = "\xff"', "codec"),
        (b"a = " + b"[" * 100_000, "recursion"),
        (b"a" + b".a" * 130_000 + b" = 1", TOO_MUCH),
        (b"a = 1" + b"\n" * 100 + b"b = \n", "line 101"),
    ],
    ids=["value", "encoding", "nesting", "key", "line"],
)
def test_what_cannot_be_read_says_why(data: bytes, words: str) -> None:
    with pytest.raises(TomlRefused, match=words):
        toml_as_json(data)


def test_a_child_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toml_document, "TIMEOUT_S", 0.001)
    with pytest.raises(TomlRefused, match=TOO_MUCH):
        toml_as_json(b"a = 1")
