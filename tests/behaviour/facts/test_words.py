from __future__ import annotations

import pytest
from django.db import connection

from trajectories.behaviour.facts.types import CONFIGURATION, indexed, web_query, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1/(k(k+1)) = -5", ["1", "k", "k", "1", "5"]),
        (r"\frac{10}{11}", ["frac", "10", "11"]),
        ("1,234.50 and 3.14.", ["1234.50", "and", "3.14"]),
        ("x² in the check-in box_2", ["x2", "in", "the", "check", "in", "box", "2"]),
        ("Änderung ЖИЗНЬ 数学", ["änderung", "жизнь", "数学"]),
    ],
)
def test_every_other_character_separates_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def _finds(query: str, thought: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT to_tsvector(%s::regconfig, %s) @@ websearch_to_tsquery(%s::regconfig, %s)",
            [CONFIGURATION, indexed(thought), CONFIGURATION, web_query(query)],
        )
        row = cursor.fetchone()
    return bool(row and row[0])


THOUGHT = r"""Each term splits: 1/(k(k+1)) = 1/k - 1/(k+1). What is left is 1 - 1/11 = 10/11, so
\frac{10}{11}, or about 0.909. It is NOT 1,000. See example.com/page and mail@example.com; x=-5."""


@pytest.mark.django_db
@pytest.mark.parametrize(
    "query",
    [
        "10/11",
        "k+1",
        "1/(k+1)",
        "0.909",
        "1000",
        "1,000",
        r"\frac{10}{11}",
        "-5",
        "x=-5",
        '"is left is"',
        "not",
        "SPLITS",
        "nothing or splits",
        "splits -nothing",
        "example",
        "mail@example.com",
        '"is left',
    ],
)
def test_a_search_matches_formulas_numbers_and_phrases(query: str) -> None:
    assert _finds(query, THOUGHT)


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["12/11", '"left what"', "splits -left", "100", "k-2", "nothing"])
def test_a_search_does_not_match_absent_words(query: str) -> None:
    assert not _finds(query, THOUGHT)


@pytest.mark.parametrize("query", ["", "  ", "-left", '""', "or", "()&|!:*"])
def test_a_query_without_a_required_word_is_empty(query: str) -> None:
    assert web_query(query) == ""


@pytest.mark.django_db
def test_the_longest_thought_fits_the_index() -> None:
    thought = " ".join(f"数{number}x" for number in range(200_000))
    assert _finds("数1x", thought)
