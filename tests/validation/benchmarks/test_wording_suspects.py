from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command

from tasks_app.wording_errata import FOLDER, load_errata
from tests import factories
from validation.benchmarks.wording_suspects import suspicions

PAIR = {"signature": "def chain(pairs):", "asserts": ["assert chain([Pair(1, 2) for n in range(2)]) == 1"]}
OF_TEXTS = [erratum for path in FOLDER.iterdir() if path.stem != "mbpp" for erratum in load_errata(path.stem)]


def rules_met(**payload: Any) -> set[str]:
    return {rule for rule, _ in suspicions(payload)}


@pytest.mark.parametrize("erratum", OF_TEXTS, ids=lambda erratum: erratum.reason[:30])
def test_the_search_lists_what_errata_mend_until_it_is_mended(erratum: Any) -> None:
    choices = [{"text": "one"}, {"text": "two"}]
    assert rules_met(text=erratum.text, choices=choices)
    assert not erratum.instead or rules_met(text=erratum.instead) == set()


CHOICES = [{"text": "160 pm"}, {"text": "86 pm"}]


@pytest.mark.parametrize(
    ("text", "is_listed"),
    [
        ("The radius of an atom of argon is 188 pm.", True),
        ("The radius of an atom of argon is 188 pm. That of krypton is", False),
        ("The radius of an atom of argon is 188 pm. How large is an atom of krypton?", False),
        ("Convert 188 pm to the unit that is printed on the tube.", False),
        ("The fallacy of arguing from the parts to the whole is...", False),
    ],
)
def test_a_text_with_choices_that_asks_for_nothing_is_listed(text: str, is_listed: bool) -> None:
    assert rules_met(text=text, choices=CHOICES) == ({"missing_question"} if is_listed else set())


@pytest.mark.parametrize(
    ("text", "header", "is_listed"),
    [
        ("which nation won the most medals?", ["Rank", "Swimmer", "Medals"], True),
        ("which nation won the most medals?", ["Rank", "Nationality", "Medals"], False),
        ("who won the most medals?", ["Rank", "Swimmer", "Medals"], False),
    ],
)
def test_a_question_about_countries_without_a_column_of_them_is_listed(
    text: str, header: list[str], is_listed: bool
) -> None:
    rules = rules_met(text=text, table={"header": header, "rows": []})
    assert rules == ({"lost_country"} if is_listed else set())


def test_a_program_needs_names_that_its_question_gives() -> None:
    assert rules_met(text="Find the longest chain.", **PAIR) == {"undefined_name"}
    assert rules_met(text="Find the longest chain of objects of a class Pair.", **PAIR) == set()


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("What does the map below show?", {"pictures": [{"sha256": "0"}]}),
        ("As shown in the figure, AB = 2. [asy] draw((0,0)--(1,1)); [/asy]", {}),
        ("Which word is misspelt?", {"choices": [{"text": "one"}, {"text": "two"}]}),
    ],
)
def test_a_question_that_has_what_it_refers_to_is_not_listed(text: str, more: dict[str, Any]) -> None:
    assert rules_met(text=text, **more) == set()


@pytest.mark.django_db
def test_the_command_lists_tasks_with_the_words_that_meet_a_rule(capsys: pytest.CaptureFixture[str]) -> None:
    suspect = factories.task(payload={"text": "Find AB in the figure below."})
    factories.task(payload={"text": "What is 1 + 1?"})
    call_command("search_wordings")
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        f"{suspect}  missing_figure (in the figure): Find AB in the figure below.",
        "2 questions searched, 1 listed.",
    ]
