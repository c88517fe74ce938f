from __future__ import annotations

import pytest

from palaestra.actions import Action, turn_parse
from palaestra.extraction import answer_extract


def test_what_comes_before_the_last_action_line_is_the_thought() -> None:
    turn = turn_parse(
        'First.\nAction: {"type": "noop"}\nNo, wait.\nAction: {"type": "click", "target": "e3"}\n'
    )
    assert turn.thought == 'First.\nAction: {"type": "noop"}\nNo, wait.'
    assert turn.action == Action(type="click", target="e3")


@pytest.mark.parametrize(
    ("stated", "action"),
    [
        (
            '{"type": "type", "target": "e7", "text": 42, "clear": true}',
            Action(type="type", target="e7", text="42", clear=True),
        ),
        ('{"type": "press", "key": "Enter"}', Action(type="press", key="Enter")),
        ('{"type": "scroll", "dy": 600}', Action(type="scroll", dy=600)),
        ('{"type": "select", "target": "[e9]", "value": "B"}', Action(type="select", target="e9", value="B")),
        ('{"type": "goto", "url": "https://gym/x"}', Action(type="goto", url="https://gym/x")),
        ('{"type": "wait", "ms": 99999}', Action(type="wait", ms=2000)),
        ('{"type": "answer", "text": "1/2"}', Action(type="answer", text="1/2")),
    ],
)
def test_every_type_is_read(stated: str, action: Action) -> None:
    assert turn_parse(f"**Action:** {stated}").action == action


@pytest.mark.parametrize(
    "completion",
    [
        "",
        "I click.",
        "Action:",
        "Action: click e3",
        'Action: {"type": "click"}',
        'Action: {"type": "click", "target": 3}',
        'Action: {"type": "click", "target": "e1"} and then',
        'Action: {"type": "scroll", "dy": 1e400}',
        'Action: {"type": "scroll", "dy": ' + "9" * 400 + "}",
        'Action: {"type": "type", "target": "e1", "text": null}',
        'Action: {"type": "type", "target": "e1", "text": "x", "clear": "yes"}',
        'Action: {"type": ["click"]}',
        "Action: [1]",
        'Action: {"type": "noop", "x": ' + "[" * 600 + "]" * 600 + "}",
        'Action: {"type": "noop", "x": ' + '{"x": ' * 40 + "1" + "}" * 40 + "}",
        "Action: " + "[" * 100_000,
        "Action: " + "9" * 300_000,
        'Action: {"type": "answer", "text": "' + "9" * 150_000 + '"}',
        "Action: {\ud800\x00",
    ],
)
def test_what_cannot_be_read_is_a_parse_error_and_no_exception(completion: str) -> None:
    turn = turn_parse(completion)
    assert turn.action is None
    assert turn.parse_error


@pytest.mark.parametrize("more", ["", ', "direction": "down"', ', "dx": 0, "dy": 0', ', "dy": 0.4'])
def test_a_scroll_without_a_distance_is_told_to_name_one(more: str) -> None:
    turn = turn_parse('Action: {"type": "scroll"' + more + "}")
    assert turn.action is None
    assert '{"type": "scroll", "dy": 600}' in (turn.parse_error or "")


def test_an_unknown_type_is_kept_on_record() -> None:
    turn = turn_parse('Action: {"type": "fly", "to": "Rome"}')
    assert turn.stated == {"type": "fly", "to": "Rome"}
    assert "Known: answer, back, click" in (turn.parse_error or "")


@pytest.mark.parametrize(
    ("completion", "answer"),
    [
        ("So it is.\nAnswer: 42", "42"),
        ("answer :  x = 1 ", "x = 1"),
        ("**Answer:** \\frac{1}{2}", "\\frac{1}{2}"),
        ("**Answer: 42**", "42"),
        ("### Answer: 42\r", "42"),
        ("**Answer**: 2*3*", "2*3*"),
        ("Answer: 1\nNo.\nAnswer: 2\nThat is all.", "2"),
        ("Answer: a: b", "a: b"),
        ("The answer: 42", None),
        ("42", None),
        ("Answer:", None),
        ("Answer" + " " * 100_000, None),
    ],
)
def test_the_last_answer_line_carries_the_answer(completion: str, answer: str | None) -> None:
    assert answer_extract(completion) == answer
