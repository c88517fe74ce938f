"""From sentences to the one answer that they state: letters of choices, numbers read off charts."""

from __future__ import annotations

import pytest

from validation.verifiers import completions
from verifiers.types import Evidence, Gold

LETTERS = [
    ("B", "I first thought A, but the correct choice is B."),
    ("C", "Between A and C, C is correct."),
    ("A", "The right option is (A)."),
    ("D", "It cannot be A, B or C, so D."),
    ("B", "**B**"),
    ("B", "Final answer: **B) Paris**"),
    ("C", "C, since A is false"),
    ("A", "La respuesta correcta es A"),
    ("B", "\u6b63\u786e\u7b54\u6848\u662fB"),
    ("B", "\u7b54\u6848\u662f B \u800c\u4e0d\u662f A"),
    ("B", "\u9009\u9879B\u662f\u6b63\u786e\u7684\uff0cA\u662f\u9519\u8bef\u7684"),
    ("D", "\u041e\u0442\u0432\u0435\u0442: D"),
    ("D", "Option D is correct because A and B are wrong"),
    ("B", "Die Antwort ist B, nicht A"),
    ("B", "A good choice is B."),
    ("C", "A careful look shows that the answer is C"),
    ("B", "The answer is not A but B"),
    ("B", "The correct option is B, not A."),
    ("C", "I would choose C over A and B."),
    ("B", "A is wrong, so B"),
    ("A", "A because B is too small"),
    ("D", "The answer cannot be A. It must be D."),
    ("C", "My answer is C. I considered B."),
    ("C", "La r\u00e9ponse est la C"),
    ("C", "Therefore, (C) is the answer, and not (D)."),
    ("D", "The answer is: D. None of the above"),
    ("B", "I think it's B rather than A"),
    ("C", "C is right: B grows faster than A"),
    (None, "I cannot tell."),
    (None, "It is not B."),
    (None, "A nice day."),
]
NUMBERS = [
    ("45", "In 2015, the value was 45 in Spain and 2016 followed."),
    ("12", "There were 12 more jobs in 2015 than in 2014."),
    ("45", "Sales rose to 45 million in 2012."),
    ("2015", "The year with the highest value is 2015."),
    ("7", "In 2015 the value was 33 and in 2016 it was 40, so the difference is 7."),
    ("15", "The average is (10 + 20)/2 = 15."),
    ("32", "The share is 32%, compared to 20% in 2010."),
    ("0.5", "The ratio is 0.5."),
    ("3", "The value for group 2 is 3 points above 10."),
    ("1234", "The total was 1,234 in 2020."),
    ("23", "In the year 2020 about 23 percent said so."),
    ("5", "The answer is 5 according to the chart of 2019."),
    ("1990", "It started in 1990."),
    ("64", "64 percent of the people in 2010 agreed with it"),
    ("5", "The number of wars from 1990 to 2000 was 5, which is down from 10 in 1980."),
    ("45", "The value was 45. This is what the chart says."),
    ("12", "12"),
    ("The lowest bar is red.", "The lowest bar is red."),
]


@pytest.mark.parametrize(("letter", "completion"), LETTERS)
def test_a_completion_chooses_the_letter_that_it_states_and_none_that_it_denies(
    letter: str | None, completion: str
) -> None:
    assert completions.find_letter(completion) == letter


@pytest.mark.parametrize(("number", "sentence"), NUMBERS)
def test_a_sentence_about_a_chart_states_the_number_after_its_verb(number: str, sentence: str) -> None:
    evidence = completions.candidates("chartqa_free_text", Gold("0"), sentence)
    assert evidence == [Evidence(number)]
