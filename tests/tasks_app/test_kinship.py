"""Relations in stories, where the package's own answers name some of them from the wrong end."""

from __future__ import annotations

import pytest

from tasks_app.benchmarks import _kinship

WOMEN = {"Ann", "Cleo", "Eva", "Fay", "Hana"}
STORY = (
    "Ann is married to Bob. They have children called Cleo and Dan. Dan is married to Eva. "
    "They have children called Fay and Gus. Gus is married to Hana."
)


@pytest.mark.parametrize(
    ("who", "whom", "relation"),
    [
        ("Ann", "Dan", "mother"),
        ("Bob", "Cleo", "father"),
        ("Cleo", "Ann", "daughter"),
        ("Dan", "Bob", "son"),
        ("Eva", "Dan", "wife"),
        ("Bob", "Ann", "husband"),
        ("Cleo", "Dan", "sister"),
        ("Gus", "Fay", "brother"),
        ("Ann", "Fay", "grandmother"),
        ("Bob", "Gus", "grandfather"),
        ("Cleo", "Gus", "aunt"),
        ("Fay", "Cleo", "niece"),
        ("Gus", "Cleo", "nephew"),
        ("Eva", "Bob", "daughter-in-law"),
        ("Eva", "Ann", "daughter-in-law"),
        ("Hana", "Dan", "daughter-in-law"),
        ("Hana", "Bob", ""),
        ("Hana", "Fay", ""),
    ],
)
@pytest.mark.parametrize(
    "question",
    [
        "What is {} to {}? Respond only with the word that describes their relationship.",
        "How is {} related to {}? Provide the relationship in one word.",
        "What relation is {} to {}? Answer with a single word.",
    ],
)
def test_relations_are_read_from_the_story(who: str, whom: str, relation: str, question: str) -> None:
    assert _kinship.answer(f"{STORY}\n\n{question.format(who, whom)}", women=WOMEN) == relation


def test_a_question_of_another_form_has_no_answer() -> None:
    assert _kinship.answer(f"{STORY}\n\nWho is Ann?", women=WOMEN) == ""
