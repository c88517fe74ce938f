"""Rules that say what a sentence of a thought does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajectories.behaviour.thoughts.codebook import codebook
from trajectories.behaviour.thoughts.reader import Reader
from trajectories.behaviour.thoughts.rules import RULES

QUESTION = "A shop sells 14 lamps at $9 each and gives back 3 of them. How many dollars does it take in?"
PAGE = f'heading "Exercise"\ntext: {QUESTION}\ntextbox "Your answer" value=""\nbutton "Send answer"'
CLICK = {"type": "click", "target": "e4"}


def kinds(thought: str, *, action: dict[str, Any] = CLICK, target: str = "button “Send answer”") -> list[str]:
    reader = Reader(question=QUESTION)
    reader.see(PAGE)
    return [one.kind for one in reader.read(thought, action=action, target=target)]


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Wait, three lamps came back.", "revise"),
        ("The search did not help, so I try another filter.", "revise"),
        ("Wait for the page to load.", "announce"),
        ("Let me double-check the sum.", "check"),
        ("I check whether any lamp is left out.", "check"),
        ("Check-in is on Friday at the lamp house.", "infer"),
        ("The sum is right.", "check"),
        ("That agrees with the price on the page.", "check"),
        ("14 - 3 = 11 lamps stay sold.", "calculate"),
        ("Their product is 126.", "calculate"),
        ("That makes 99 dollars.", "calculate"),
        ("So $x = \\frac{9}{2}$.", "calculate"),
        ("Room R-17 is free from 2026-05-03 on.", "infer"),
        ("To find the total, I need the number of lamps that stay sold.", "plan"),
        ("Lamps that come back earn nothing, because the price is paid back.", "infer"),
        ("def total(lamps):", "infer"),
        ("The button presumably opens the form.", "infer"),
        ("The third lamp costs more: out.", "infer"),
        ("I will click the Send answer button.", "announce"),
        ("A dialog lies over the page, so I close it.", "announce"),
        ("So the answer is 99.", "announce"),
        ("Next, the last lamp.", "announce"),
        ("The corner lamp next.", "announce"),
        ("That is choice C.", "announce"),
        ("A shop sells 14 lamps at $9 each and gives back 3 of them.", "restate"),
        ("I can see a heading and a text field.", "restate"),
        ("The field holds 99.", "restate"),
        ("Okay, let me think.", "other"),
        ("Step 2:", "other"),
        ("17, 18, 19, 20, 21, 22,", "other"),
        ("no no no no no no no no no no", "other"),
    ],
)
def test_a_sentence_has_the_class_of_what_it_does(sentence: str, kind: str) -> None:
    assert kinds(sentence) == [kind]


def test_a_short_sentence_announces_what_the_action_types() -> None:
    typing = {"type": "fill", "fields": [{"text": "Ada B.", "target": "e2"}]}

    assert kinds("Oldest: Ada B.", action=typing) == ["announce"]


def test_a_choice_with_its_label_is_repeated() -> None:
    reader = Reader(question="Which metal is liquid?\nA. iron\nB. mercury")
    assert [one.kind for one in reader.read("A. iron\nB. mercury", action=None)] == ["restate", "restate"]


def test_a_sentence_of_before_is_repeated() -> None:
    sentence = "Lamps that come back earn nothing at all."

    assert kinds(f"{sentence}\n{sentence}") == ["infer", "restate"]


def test_each_class_can_be_given() -> None:
    assert {rule.id for rule in RULES} == {one.id for one in codebook().classes}


@settings(max_examples=30)
@given(st.text(max_size=80))
def test_any_text_has_classes(thought: str) -> None:
    assert set(kinds(thought)) <= {one.id for one in codebook().classes}


@pytest.mark.parametrize(
    "part", ["1 ", "a+", "(", "x = ", "wait ", "so ", "我们", "let me ", "I will ", "9", "\\frac"]
)
def test_a_long_sentence_costs_no_more_than_its_length(part: str) -> None:
    assert len(kinds(part * (20_000 // len(part)))) <= 1
