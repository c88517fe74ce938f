"""MMMU without substring matches: the letter of one choice, or exactly an accepted value.

The official rule for open questions (see ``mmmu-v1``) accepts any text that contains the gold, and any
sentence in which one of the numbers is right.
"""

from __future__ import annotations

from fractions import Fraction

from verifiers.answer_text import gold_answers, make_verdict, short_answer, unparsable
from verifiers.builtin import choice, mmmu
from verifiers.numbers.notation import written_number
from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict


@verifier("mmmu_strict-v2", title="MMMU: choice letter, or exactly the open answer")
def mmmu_strict(gold: Gold, evidence: Evidence) -> Verdict:
    """Judge a choice as ``choice-v2`` does; else compare bare numbers, or text ignoring case and spaces."""
    if not mmmu.is_open(gold):
        return choice.choice(gold, evidence)
    answer = short_answer(evidence)
    if answer is None:
        return unparsable(gold=gold.answer, answer=str(evidence.answer))
    correct = any(_form(answer) == _form(target) for target in gold_answers(gold))
    return make_verdict(correct, gold=gold.answer, answer=answer)


def _form(text: str) -> Fraction | str:
    number = written_number(text)
    if number is None:
        return " ".join(text.lower().split())
    return number.value / 100 if number.is_percent else number.value
