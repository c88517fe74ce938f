from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectories.behaviour.thoughts.sentences import sentence_spans
from trajectories.behaviour.thoughts.substeps import substep_spans


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        (" \n\n \n", []),
        ("One.", ["One."]),
        ("One.\nStill one.\n\nTwo.", ["One.\nStill one.", "Two."]),
        ("One.\r\n\r\nTwo.\n \t\n\n  Three.", ["One.\r", "Two.", "Three."]),
        ("\n\nOne.\n\nTwo.\n", ["One.", "Two.\n"]),
        ("```\na\n\nb\n```", ["```\na", "b\n```"]),
    ],
)
def test_substeps_are_the_blocks_between_blank_lines(text: str, parts: list[str]) -> None:
    assert [text[begin:end] for begin, end in substep_spans(text)] == parts


@given(st.text(alphabet='ab.!? \n\r\t\u3002"', max_size=60))
def test_every_sentence_is_within_one_substep(text: str) -> None:
    spans = substep_spans(text)
    assert spans == sorted(spans)
    for begin, end in sentence_spans(text):
        assert sum(first <= begin and end <= last for first, last in spans) == 1


@given(st.lists(st.text(alphabet="ab. ", min_size=1).filter(str.strip), max_size=6))
def test_numbers_stay_when_a_text_goes_on(blocks: list[str]) -> None:
    whole = "\n\n".join(block.strip() for block in blocks)
    assert substep_spans(whole) == substep_spans(whole + "\n\nmore")[: len(blocks)]
