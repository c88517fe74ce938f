from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajectories.behaviour.thoughts.sentences import sentence_spans, sentences


@pytest.mark.parametrize(
    ("thought", "expected"),
    [
        ("", []),
        ("  \n ...\n", []),
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("It is 3.5 km, i.e. far. Go.", ["It is 3.5 km, i.e. far.", "Go."]),
        ("I pick B. upper lobe. Next.", ["I pick B. upper lobe.", "Next."]),
        ("The answer is B. I select it.", ["The answer is B.", "I select it."]),
        ('I need the radio "B. the box". Now.', ['I need the radio "B. the box".', "Now."]),
        ("By J. Smith. Good.", ["By J. Smith.", "Good."]),
        ("It is x. So be it.", ["It is x.", "So be it."]),
        ("Plan:\n1. Find x.\n2. Add 4.\n- Check", ["Plan:", "1. Find x.", "2. Add 4.", "- Check"]),
        ('He says "no." Then I go.', ['He says "no."', "Then I go."]),
        ("So **x = 4.** Done.", ["So **x = 4.**", "Done."]),
        ("96 rolls\n\n96 - 15 = 81", ["96 rolls", "96 - 15 = 81"]),
        ("先算总数。然后减去。", ["先算总数。", "然后减去。"]),
        ("Wait... no. Yes.", ["Wait...", "no.", "Yes."]),
    ],
)
def test_a_thought_is_split_into_its_sentences(thought: str, expected: list[str]) -> None:
    assert sentences(thought) == expected


@pytest.mark.parametrize("part", ["A. ", "x", " ", "\n", "。", ".)", "1. "])
def test_a_long_thought_costs_no_more_than_its_length(part: str) -> None:
    sentence_spans(part * 20_000)


@settings(max_examples=50)
@given(st.text(alphabet='aB1 .!?\n")。*', max_size=60))
def test_spans_are_in_order_and_leave_out_no_letter(thought: str) -> None:
    spans = sentence_spans(thought)
    assert all(begin < end for begin, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    words = "".join(thought[begin:end] for begin, end in spans)
    assert [one for one in words if one.isalnum()] == [one for one in thought if one.isalnum()]
