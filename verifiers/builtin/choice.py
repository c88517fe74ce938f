"""The label of the right choice.

Sources: MMLU (hendrycks/test, ``evaluate.py``) compares the predicted letter with the gold letter. ARC
(allenai/aristo-leaderboard, ``arc/evaluator``) looks for the answer key, a letter or a numeral, among the
predicted labels; k labels earn 1/k, which here is only the score, since the reward requires exactly one
label. ScienceQA (lupantech/ScienceQA, ``run_gpt3.py``) reads the single match of ``The answer is ([A-Z]).``
and chooses at random when there is none; here an answer without a label is incorrect.
``verifiers/choice_labels.py`` lists the forms in which a label is recognised.
"""

from __future__ import annotations

from collections.abc import Mapping

from verifiers.answer_text import gold_answers, unparsable
from verifiers.choice_labels import find_choice
from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, UnparsableGold, Verdict

MOST_LABELS = 26
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@verifier("choice-v2", title="Label of the right choice")
def choice(gold: Gold, evidence: Evidence) -> Verdict:
    """Accept exactly one label, the gold's; ``score`` is 1/k for k labels.

    Letters are compared ignoring case. ``extra["choices"]`` maps each label to its text as shown;
    ``extra["options"]`` lists the texts alone, for labels from A on. Raises ``UnparsableGold``.
    """
    golds = [_gold_label(answer) for answer in gold_answers(gold)]
    answers = (evidence.answer,) if isinstance(evidence.answer, str) else evidence.answer
    texts = _texts_of(gold)
    labels = [find_choice(answer, texts) for answer in answers[:MOST_LABELS]]
    chosen = [label for label in labels if label is not None]
    if not chosen or len(chosen) < len(answers):
        return unparsable(gold=golds[0], answer=" ".join(answers))
    is_among = any(label in golds for label in chosen)
    return Verdict(
        correct=is_among and len(chosen) == 1,
        score=1 / len(chosen) if is_among else 0.0,
        parsed_gold=golds[0],
        parsed_answer=", ".join(chosen),
    )


def _gold_label(text: str) -> str:
    label = find_choice(text, {})
    if label is None:
        raise UnparsableGold(f"The gold {text[:80]!r} is not the label of a choice.")
    return label


def _texts_of(gold: Gold) -> Mapping[str, str]:
    if texts := gold.extra.get("choices"):
        return {str(label).upper(): str(text) for label, text in texts.items()}
    return {label: str(text) for label, text in zip(LETTERS, gold.extra.get("options", ()), strict=False)}
