"""The label of the right choice.

Sources: MMLU (hendrycks/test, ``evaluate.py``) compares the predicted letter with the gold letter. ARC
(allenai/aristo-leaderboard, ``arc/evaluator``) looks for the answer key, a letter or a numeral, among the
predicted labels; k labels earn 1/k, which here is only the score: the reward needs exactly one. ScienceQA
(lupantech/ScienceQA, ``run_gpt3.py``) reads the single match of ``The answer is ([A-Z]).`` and chooses at
random when there is none; here no label is incorrect. The text of a choice is not its label.
"""

from __future__ import annotations

import re

from verifiers.answer_text import gold_answers, readable, unparsable
from verifiers.limits import SHORT_ANSWER_CHARS
from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, UnparsableGold, Verdict

MOST_LABELS = 26
LABEL = r"(?:[A-Za-z]|[1-9][0-9]?)"
WRITTEN = re.compile(
    rf"(?:the answer is\s+)?(?P<mark>[*_]*)(?:\((?P<round>{LABEL})\)|\[(?P<square>{LABEL})\]"
    rf"|(?P<bare>{LABEL})[).:]?)[.]?(?P=mark)[.]?",
    re.IGNORECASE | re.ASCII,
)


@verifier("choice-v1", title="Label of the right choice")
def choice(gold: Gold, evidence: Evidence) -> Verdict:
    """Correct if exactly one label is chosen and it is the gold's; ``score`` is 1/k for k labels.

    Letters compare without case. Raises ``UnparsableGold``.
    """
    golds = [_gold_label(answer) for answer in gold_answers(gold)]
    answers = (evidence.answer,) if isinstance(evidence.answer, str) else evidence.answer
    labels = [read_label(answer) for answer in answers[:MOST_LABELS]]
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
    label = read_label(text)
    if label is None:
        raise UnparsableGold(f"The gold {text[:80]!r} is not the label of a choice.")
    return label


def read_label(text: str) -> str | None:
    """The one label that the text is, a capital letter or a numeral; None when it is anything else."""
    plain = readable(text) if len(text) <= SHORT_ANSWER_CHARS else None
    match = WRITTEN.fullmatch(plain) if plain else None
    if match is None:
        return None
    return str(match["round"] or match["square"] or match["bare"]).upper()
