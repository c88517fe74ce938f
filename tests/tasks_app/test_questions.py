"""Questions as text, and the kinds that code names."""

from __future__ import annotations

from tasks_app import kinds
from tasks_app.questions import question_text, questions

PAYLOAD = {
    "text": "Which?",
    "format": "plain",
    "choices": [{"label": "A", "text": "a cat"}, {"label": "B", "text": "a dog"}],
}


def test_a_question_lists_its_choices_in_the_order_of_its_episode() -> None:
    text = question_text(kind="choice", prompt="Which?", payload=PAYLOAD, variation={"order": [1, 0]})
    assert text.index("a dog") < text.index("a cat")


def test_a_question_without_variation_or_of_a_retired_kind_is_its_prompt() -> None:
    for kind, variation in (("choice", None), ("retired", {"order": [1, 0]})):
        text = question_text(kind=kind, prompt="Which?", payload=PAYLOAD, variation=variation)
        assert text == "Which?"


def test_every_kind_named_in_code_is_registered() -> None:
    named = {value for name, value in vars(kinds).items() if name.isupper() and not name.startswith("_")}
    assert named == set(questions)
    assert all(kinds.kind_label(kind) != kind for kind in named)
