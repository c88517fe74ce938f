"""MMMU's official rules for multiple-choice and open answers; they are in ``verifiers/mmmu_rules.py``.

Source: MMMU-Benchmark/MMMU, ``mmmu/utils/eval_utils.py``. Where that code picks at random: incorrect.
"""

from __future__ import annotations

from verifiers import mmmu_rules
from verifiers.answer_text import gold_answers, judged, short_answer, unparsable
from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict


@verifier("mmmu-v1", title="MMMU: choice letter or open answer")
def mmmu(gold: Gold, evidence: Evidence) -> Verdict:
    """The official parse of one short answer against the gold's letter or its accepted values.

    ``extra["options"]`` are the texts of the choices, ``extra["question_type"]`` is ``multiple-choice`` or
    ``open``; without it a gold of one capital letter is a choice.
    """
    golds = gold_answers(gold)
    answer = short_answer(evidence)
    if answer is None:
        return unparsable(gold=gold.answer, answer=str(evidence.answer))
    if is_open(gold):
        forms = [form for tail in mmmu_rules.tails_in(answer) for form in mmmu_rules.forms_in(tail)]
        correct = mmmu_rules.is_open_match(golds, forms)
        return judged(correct, gold=gold.answer, answer=" | ".join(map(str, forms)))
    letter = mmmu_rules.letter_in(answer, options_of(gold))
    if letter is None:
        return unparsable(gold=gold.answer, answer=answer)
    return judged(letter in golds, gold=gold.answer, answer=letter)


def options_of(gold: Gold) -> list[str]:
    return [str(option) for option in gold.extra.get("options", ())]


def is_open(gold: Gold) -> bool:
    """Whether the gold answers an open question."""
    kind = gold.extra.get("question_type")
    if kind:
        return str(kind) == "open"
    return not (len(gold.answer) == 1 and gold.answer in mmmu_rules.LETTERS_WITHOUT_OPTIONS)
