from __future__ import annotations

from unittest.mock import MagicMock

import pytest

from everywhere import turn_parse
from palaestra.actions import ACTIONS, Action, action_perform
from palaestra.actions.answer import Answer
from palaestra.actions.base import ActionFailed
from palaestra.actions.click import Click
from palaestra.actions.fields import TEXT, field
from palaestra.actions.goto import Goto
from palaestra.actions.press import Press
from palaestra.actions.scroll import Scroll
from palaestra.actions.select import Select
from palaestra.actions.type import Type
from palaestra.actions.wait import Wait
from palaestra.extraction import answer_extract
from palaestra.pages.warm_page import WarmPage
from palaestra.protocol.actions import ACTION_SPECS, ActionSpec, FieldSpec


def test_the_thought_is_the_text_before_the_last_action_line() -> None:
    turn = turn_parse(
        'First.\nAction: {"type": "noop"}\nNo, wait.\nAction: {"type": "click", "target": "e3"}\n'
    )
    assert turn.thought == 'First.\nAction: {"type": "noop"}\nNo, wait.'
    assert turn.action == Click(target="e3")


@pytest.mark.parametrize(
    ("declared", "action"),
    [
        (
            '{"type": "type", "target": "e7", "text": 42, "clear": true}',
            Type(target="e7", text="42", clear=True),
        ),
        ('{"type": "press", "key": "Enter"}', Press(key="Enter")),
        ('{"type": "scroll", "dy": 600}', Scroll(dy=600)),
        ('{"type": "select", "target": "[e9]", "value": "B"}', Select(target="e9", value="B")),
        ('{"type": "goto", "url": "https://gym/x"}', Goto(url="https://gym/x")),
        ('{"type": "wait", "ms": 99999}', Wait(ms=2000)),
        ('{"type": "answer", "text": "1/2"}', Answer(text="1/2")),
    ],
)
def test_actions_are_parsed_into_their_types(declared: str, action: Action) -> None:
    assert turn_parse(f"**Action:** {declared}").action == action


@pytest.mark.parametrize(
    "completion",
    [
        "",
        "I click.",
        "Action:",
        'Action: {"type": "click"}',
        'Action: {"type": "click", "target": 3}',
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
def test_an_unreadable_action_is_a_parse_error_and_no_exception(completion: str) -> None:
    turn = turn_parse(completion)
    assert turn.action is None
    assert turn.parse_error


@pytest.mark.parametrize("more", ["", ', "direction": "down"', ', "dx": 0, "dy": 0', ', "dy": 0.4'])
def test_a_scroll_without_a_distance_says_what_is_missing(more: str) -> None:
    turn = turn_parse('Action: {"type": "scroll"' + more + "}")
    assert turn.action is None
    assert '{"type": "scroll", "dy": 600}' in (turn.parse_error or "")


def test_an_unknown_type_is_recorded_as_declared() -> None:
    turn = turn_parse('Action: {"type": "fly", "to": "Rome"}')
    assert turn.declared == {"type": "fly", "to": "Rome"}
    assert "Known: answer, click, type" in (turn.parse_error or "")


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


async def test_a_new_action_is_one_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palaestra.actions.base.ACTIONS", dict(ACTIONS))
    hum = ActionSpec("hum", "Hum a tune.", fields=(FieldSpec("tune", "Which.", is_required=True),))
    monkeypatch.setitem(ACTION_SPECS, "hum", hum)

    class Hum(Action):
        spec = hum
        tune: str = field(TEXT)

        async def perform(self, page: WarmPage) -> None:
            raise ActionFailed("refused", f"Nobody hears {self.tune}.")

    turn = turn_parse('Action: {"type": "hum", "tune": "an aria"}')
    assert turn.action == Hum(tune="an aria")
    assert (await action_perform(MagicMock(), turn.action)).message == "Nobody hears an aria."
    assert turn_parse('Action: {"type": "hum"}').parse_error == '"tune" must be a string.'


def test_an_action_type_is_registered_once() -> None:
    with pytest.raises(ValueError, match="click"):

        class Again(Action):
            spec = ACTION_SPECS["click"]


def test_an_action_has_the_fields_of_its_spec(monkeypatch: pytest.MonkeyPatch) -> None:
    yodel = ActionSpec("yodel", "Yodel.", fields=(FieldSpec("tune", "Which."),))
    monkeypatch.setitem(ACTION_SPECS, "yodel", yodel)
    with pytest.raises(ValueError, match="yodel"):

        class Yodel(Action):
            spec = yodel
            tune: str = field(TEXT)  # its spec does not require it


def test_every_action_with_a_spec_can_be_performed() -> None:
    assert set(ACTIONS) == set(ACTION_SPECS)


def test_each_action_is_in_the_file_of_its_name() -> None:
    assert {kind: action.__module__ for kind, action in ACTIONS.items()} == {
        kind: f"palaestra.actions.{kind}" for kind in ACTIONS
    }
