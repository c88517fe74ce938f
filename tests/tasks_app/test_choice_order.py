"""When choices may change places."""

from __future__ import annotations

import pytest

from tasks_app.benchmarks._choice_order import order_of

OTHERS = ["a red one", "a blue one"]


@pytest.mark.parametrize(
    "text",
    [
        "All of the above",
        "all the above.",
        "None of the above; the law is silent",
        "both of above.",
        "the two above",
        "It could be any of the above",
        "All of the above areas.",
        "More than one of the above",
        "None of these",
        "Either of these",
        "all of these options.",
        "both of them",
        "None of these are correct",
        "Neither of the others",
        "All options given are correct",
        "None of the listed answers",
        "All of the statements are true",
        "the first two choices",
        "There is no correct answer",
        "Both A and B",
        "both a and b.",
        "neither a nor. b.",
        "nether A nor B.",
        "Both A and B are true.",
        "Either (a) or (b)",
        "both 1 and 2",
        "1 and 3 only",
        "A and C only",
        "a. and c. above",
        "A, B, and C",
        "A but not B",
        "A and B, but not C",
        "All of A, B, and C",
        "All above are true",
        "The above are all true",
        "All three.",
        "B only",
        "(a) and (b)",
        "All of (a), (b) and (c) will be true.",
        "As (a) but using less heat",
        "Use the method in (A), with more heat.",
        "Option B is right, option A is not",
        "Both",
        "Neither",
        "neither; they weigh the same",
        "All can",
        "all are correct",
    ],
)
def test_a_choice_that_speaks_of_others_fixes_the_order(text: str) -> None:
    assert order_of([*OTHERS, text]) == "fixed"


@pytest.mark.parametrize(
    "text",
    [
        "I and II only",
        "III only",
        "(i), (ii), and (iii) only",
        "Statement I",
        "0.59 ounces above the mean",
        "horizontal below full employment",
        "He rose above all of them.",
        "neither gravity nor magnetism",
        "Both are renewable.",
        "both the father and the receiver.",
        "Both the supply and the demand fall.",
        "all of the measurements will be exactly the same",
        "All of its goals were met.",
        "All elements are metals.",
        "free choices",
        "the importance of individual choice",
        "Invalid. Counterexample when A and B are true and C is false",
        "Neither the Aardvarks nor the Chipmunks win.",
        "Article 2(4) covers only armed force",
        "a poly(A) tail",
        "P(A) = 0.5",
        "adenine (A)",
        "These organisms have analogous structures.",
        "a and an are articles",
        "One ball was red and the other ball was blue.",
        "1 and 3",
        "at all three sites.",
        "None but the brave",
        "All three planets have rings.",
        "Above all, patience",
        "Sample A",
    ],
)
def test_a_choice_that_speaks_of_the_matter_leaves_the_order_free(text: str) -> None:
    assert order_of([*OTHERS, text]) == "free"


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["A. mass", "B. weight", "C. heat"], "fixed"),
        (["a) mass", "b) weight"], "fixed"),
        (["(A) in", "(B) out", "(E) both in and out"], "fixed"),
        (["A", "B", "C", "D"], "fixed"),
        (["B", "A"], "fixed"),
        (["C", "N", "O", "F"], "free"),
        (["A. Smith wrote it.", "D. Hume wrote it."], "free"),
        (["X", "Y"], "free"),
    ],
)
def test_choices_with_letters_of_their_own_stay_where_they_are(texts: list[str], order: str) -> None:
    assert order_of(texts) == order
