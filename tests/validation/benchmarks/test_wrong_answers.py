from __future__ import annotations

from typing import Any

import pytest

from validation.benchmarks.wrong_answers import NOTHING_LIKE_IT, ONE_MORE, wrong_answer

CHOICES = [{"label": label, "text": label * 2} for label in "ABC"]


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"payload": {"choices": CHOICES}, "right": "B"}, "C"),
        ({"payload": {"choices": CHOICES}, "right": "C"}, "A"),
        ({"payload": {"choices": [*CHOICES, {"label": "D", "text": "CC"}]}, "right": "C"}, "A"),
        ({"form": "values", "right": "Vigo|Bre\\pst"}, ["Vigo", "Bre|st", ONE_MORE]),
        (
            {"form": "program", "payload": {"signature": "def f(a, b=1):\ndef g():"}},
            "def f(a, b=1):\n    return None\ndef g():\n    return None",
        ),
        ({"form": "program", "payload": {"signature": ""}}, "pass"),
        ({"right": "1,000", "others": ["1000", "1050", "$1,000", "1200"]}, "1200"),
        ({"right": "Paris", "others": ["paris.", "Paris, France", "Rome"]}, "Rome"),
        ({"right": "12", "others": ["12 km", "seven"]}, "seven"),
        ({"right": "0", "others": ["0.0", "-0"]}, NOTHING_LIKE_IT),
        ({"right": "7"}, NOTHING_LIKE_IT),
    ],
)
def test_a_generated_wrong_answer_is_wrong(fields: dict[str, Any], wrong: str | list[str]) -> None:
    given: dict[str, Any] = {"payload": {}, "form": "line", "right": "x", "others": [], **fields}
    assert wrong_answer(**given) == wrong
