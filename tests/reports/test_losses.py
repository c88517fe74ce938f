"""Rules that say where an episode was lost."""

from __future__ import annotations

from typing import Any

import pytest

from trajectories.reports.losses import made, real_sample, scores
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


def test_the_rules_are_right_on_trajectories_that_they_were_not_tuned_on() -> None:
    for score in made.scores("held_out", each=60, seed=2):
        assert (score.precision or 0) >= 0.75, score
        assert (score.recall or 0) >= 0.75, score


def test_the_two_sets_of_made_trajectories_share_no_text() -> None:
    tuning, held_out = (made.texts(name) for name in scores.SETS)

    assert not {text for kind in tuning.values() for text in kind} & {
        text for kind in held_out.values() for text in kind
    }


def test_the_rules_agree_with_a_reader_of_real_episodes_that_they_were_not_tuned_on() -> None:
    given = real_sample.scores("held_out")

    assert sum(score.true for score in given) >= 25
    assert sum(score.hits for score in given) / sum(score.true for score in given) >= 0.8
