"""The same number, however it is written.

The official GSM8K check (openai/grade-school-math, ``dataset.py``) compares the digits after ``####`` without
commas. Here the answer is a field that an agent filled in, so currency signs, units, percent signs and plain
words are ignored, but there must be exactly one number: unfinished arithmetic, alternatives and hedges do not
count. ``verifiers/numbers`` defines how a number may be written; if it is the whole answer, it may be in
words.
"""

from __future__ import annotations

from verifiers.answer_text import gold_answers, make_verdict, readable, short_answer, unparsable
from verifiers.mathtext.number_words import written_in_words
from verifiers.numbers.notation import Written
from verifiers.numbers.statement import possible_values, stated_number
from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, UnparsableGold, Verdict


@verifier("numeric-v1", title="Equal numbers")
def numeric(gold: Gold, evidence: Evidence) -> Verdict:
    """Compare rational numbers exactly; 5% may stand for 5 or for 0.05."""
    golds = [_gold_number(answer) for answer in gold_answers(gold)]
    text = short_answer(evidence)
    number = (written_in_words(text) or stated_number(text)) if text else None
    if number is None:
        return unparsable(gold=_show(golds[0]), answer=text or "")
    correct = any(written.value in possible_values(number) for written in golds)
    return make_verdict(correct, gold=_show(golds[0]), answer=_show(number))


def _gold_number(text: str) -> Written:
    number = stated_number(readable(text) or "")
    if number is None:
        raise UnparsableGold(f"The gold {text[:80]!r} is not one number.")
    return number


def _show(number: Written) -> str:
    return f"{number.value}%" if number.is_percent else str(number.value)
