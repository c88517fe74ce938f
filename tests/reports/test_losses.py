"""Rules that say where an episode was lost."""

from __future__ import annotations

from typing import Any

import pytest

from trajectories.reports.losses.rules import LostEpisode, loss_of

QUESTION = "A baker sells 120 loaves and 45 rolls. How many pieces are that?"
PAGE = f'main\n  text: {QUESTION}\n  textbox "Answer"'


def lost(**fields: Any) -> str:
    values = {
        "reason": "answer",
        "question": QUESTION,
        "observations": [PAGE],
        "thoughts": ["120 loaves and 45 rolls make 155.", "The answer is 155."],
        "answer": ["155"],
        **fields,
    }
    return loss_of(LostEpisode(**values)).id


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({}, "reasoning"),
        ({"reason": "unparsable_answer"}, "format"),
        ({"reason": "step_budget", "answer": []}, "budget"),
        ({"reason": "step_budget", "answer": [], "steps": 11, "repeats": 5}, "budget"),
        ({"reason": "step_budget", "answer": [], "steps": 10, "repeats": 5}, "procedure"),
        ({"reason": "step_budget", "answer": [], "steps": 10, "repeats": 9, "unread": 5}, "format"),
        ({"reason": "step_budget", "answer": [], "steps": 10, "repeats": 9, "unread": 4}, "procedure"),
        ({"reason": "token_budget", "answer": [], "steps": 1}, "budget"),
        (
            {"reason": "token_budget", "answer": [], "steps": 1, "thoughts": ["No, no, no, no, no"]},
            "undetermined",
        ),
        ({"steps": 10, "repeats": 9}, "reasoning"),
        ({"reason": "context_length", "answer": []}, "context"),
        ({"reason": "no_submission", "answer": []}, "procedure"),
        ({"observations": [PAGE.replace(" and 45 rolls", "")]}, "never_observed"),
        ({"observations": [PAGE.replace(" and 45 rolls", "")], "is_in_prompt": True}, "reasoning"),
        ({"observations": [""], "is_partly_known": True}, "reasoning"),
        ({"answer": ["15"]}, "procedure"),
        ({"answer": ["155 pieces"]}, "reasoning"),
        ({"reading": 0.9}, "misread"),
        ({"reading": 1.0}, "reasoning"),
        ({"thoughts": ["12 dozen? No: 126 loaves and 45 rolls."]}, "misread"),
        ({"thoughts": ["I click the field."]}, "undetermined"),
        ({"thoughts": []}, "undetermined"),
    ],
)
def test_the_class_follows_from_what_was_recorded(fields: dict[str, Any], kind: str) -> None:
    assert lost(**fields) == kind


def test_a_choice_that_is_named_by_its_text_is_the_answer_that_was_concluded() -> None:
    question = "Which is even, given 3 and 7?\nA. 12\nB. 15"

    assert lost(
        question=question, observations=[question], thoughts=["3, 7: the answer is 15"], answer=["B"]
    ) == ("reasoning")
    assert lost(
        question=question, observations=[question], thoughts=["3, 7: the answer is 12"], answer=["B"]
    ) == ("procedure")
