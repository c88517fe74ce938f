"""What the classes of a unit's sentences say of the unit."""

from __future__ import annotations

import msgspec
import pytest

from trajectories.annotation.codebook.registry import build_codebook
from trajectories.annotation.machines.labels import check_given_answers
from trajectories.annotation.machines.rules import answer_by_rules
from trajectories.behaviour.thoughts.reader import Classed
from trajectories.models import AnnotationUnit

UNIT = AnnotationUnit(begin=0, end=1_000)


def read(*kinds: str) -> list[Classed]:
    return [Classed(begin=10 * place, end=10 * place + 9, kind=kind) for place, kind in enumerate(kinds)]


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (["infer", "calculate"], {"type": "reasoning", "behaviours": []}),
        (["restate", "announce", "other"], {"type": "narration", "behaviours": []}),
        (
            ["other", "plan", "check", "revise"],
            {"type": "reasoning", "behaviours": ["plan", "verify", "revise"]},
        ),
        (["other"], {"type": "empty", "behaviours": []}),
        ([], {"type": "empty", "behaviours": []}),
    ],
)
def test_sentences_give_type_and_behaviours(kinds: list[str], expected: dict[str, object]) -> None:
    answers = answer_by_rules(read(*kinds), unit=UNIT, codebook=build_codebook())
    assert {"behaviours": [], **answers.values} == expected
    assert answers.spans == []
    assert check_given_answers(answers, codebook=build_codebook(), unit=UNIT) == []


def test_a_mixed_unit_has_its_reasoning_sentences_marked_and_those_outside_do_not_count() -> None:
    unit = AnnotationUnit(begin=10, end=39)
    answers = answer_by_rules(
        read("revise", "restate", "infer", "announce", "plan"), unit=unit, codebook=build_codebook()
    )
    assert (answers.values, answers.spans) == ({"type": "mixed", "behaviours": []}, [[20, 29]])


def test_a_hidden_thought_is_hidden_and_no_narration() -> None:
    assert answer_by_rules(None, unit=UNIT, codebook=build_codebook()).values == {"type": "hidden"}


def test_a_codebook_without_these_answers_is_not_answered() -> None:
    codebook = build_codebook()
    others = msgspec.structs.replace(codebook, fields=[one for one in codebook.fields if one.id == "target"])
    assert answer_by_rules(read("infer"), unit=UNIT, codebook=others).values == {}
