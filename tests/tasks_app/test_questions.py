"""Questions in words."""

from __future__ import annotations

from tasks_app.questions import question_text

PAYLOAD = {
    "text": "Which?",
    "format": "plain",
    "choices": [{"label": "A", "text": "a cat"}, {"label": "B", "text": "a dog"}],
}


def test_a_question_has_its_choices_in_the_order_that_its_episode_asked() -> None:
    told = question_text(kind="choice", prompt="Which?", payload=PAYLOAD, variation={"order": [1, 0]})
    assert told.index("a dog") < told.index("a cat")


def test_a_question_without_variation_or_of_a_kind_that_is_gone_is_its_prompt() -> None:
    for kind, variation in (("choice", None), ("retired", {"order": [1, 0]})):
        told = question_text(kind=kind, prompt="Which?", payload=PAYLOAD, variation=variation)
        assert told == "Which?"
