"""MMMU's official rules for multiple-choice and open answers, implemented in ``verifiers/mmmu_rules.py``.

Source: MMMU-Benchmark/MMMU, ``mmmu/utils/eval_utils.py``. Where that code picks a choice at random, the
answer is incorrect here.
"""

from __future__ import annotations

from verifiers import mmmu_rules
from verifiers.answer_text import gold_answers, make_verdict, short_answer, unparsable
from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict


@verifier("mmmu-v1", title="MMMU: choice letter or open answer")
def mmmu(gold: Gold, evidence: Evidence) -> Verdict:
    """Parse one short answer by the official rules and compare it with the gold's letter or accepted values.

    ``extra["options"]`` holds the texts of the choices, and ``extra["question_type"]`` is ``multiple-choice``
    or ``open``. Without a question type, a gold of one capital letter is taken for a choice.
    """
    golds = gold_answers(gold)
    answer = short_answer(evidence)
    if answer is None:
        return unparsable(gold=gold.answer, answer=str(evidence.answer))
    if is_open(gold):
        forms = [form for tail in mmmu_rules.list_tails(answer) for form in mmmu_rules.list_forms(tail)]
        correct = mmmu_rules.is_open_match(golds, forms)
        return make_verdict(correct, gold=gold.answer, answer=" | ".join(map(str, forms)))
    letter = mmmu_rules.find_letter(answer, read_options(gold))
    if letter is None:
        return unparsable(gold=gold.answer, answer=answer)
    return make_verdict(letter in golds, gold=gold.answer, answer=letter)


def read_options(gold: Gold) -> list[str]:
    """Return the texts of the choices, starting with A."""
    return [str(option) for option in gold.extra.get("options", ())]


def is_open(gold: Gold) -> bool:
    """Return whether the gold answers an open question."""
    kind = gold.extra.get("question_type")
    if kind:
        return str(kind) == "open"
    return not (len(gold.answer) == 1 and gold.answer in mmmu_rules.LETTERS_WITHOUT_OPTIONS)
