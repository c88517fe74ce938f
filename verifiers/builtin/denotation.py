"""Sets of answers, compared as the official WikiTableQuestions evaluator compares them.

Source: ppasupat/WikiTableQuestions v1.0.2, ``evaluator.py``. ``verifiers/denotations.py`` has the rules.
"""

from __future__ import annotations

from verifiers import denotations
from verifiers.answer_text import make_verdict, readable, unparsable
from verifiers.limits import SHORT_ANSWER_CHARS
from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, UnparsableGold, Verdict

MOST_ITEMS = 200


@verifier("denotation-v1", title="Same set of table answers")
def denotation(gold: Gold, evidence: Evidence) -> Verdict:
    """Require as many answers as gold items, and a match for each gold item, in any order.

    The gold is an official ``targetValue`` cell, and ``extra["canonical"]`` is its ``targetCanon`` cell if
    known. An answer is a cell in the same format or a tuple of items. Raises ``UnparsableGold``.
    """
    targets = _gold_values(gold)
    gold_cell = denotations.join_cell([value.text for value in targets])
    items = _items(evidence)
    if items is None:
        return unparsable(gold=gold_cell, answer=str(evidence.answer))
    values = denotations.value_set(items)
    answer = denotations.join_cell([value.text for value in values])
    return make_verdict(denotations.is_match(targets, values), gold=gold_cell, answer=answer)


def _gold_values(gold: Gold) -> list[denotations.Value]:
    items = denotations.split_cell(gold.answer)
    canonical = gold.extra.get("canonical")
    meanings = denotations.split_cell(str(canonical)) if canonical else None
    if meanings and len(meanings) != len(items):
        raise UnparsableGold(f"The gold {gold.answer[:80]!r} and its canonical form differ in length.")
    return denotations.value_set(items, meanings)


def _items(evidence: Evidence) -> list[str] | None:
    """Return the submitted answers; None if there are none or too many, or if one is unreadable."""
    is_cell = isinstance(evidence.answer, str)
    items = (
        denotations.split_cell(evidence.answer) if isinstance(evidence.answer, str) else [*evidence.answer]
    )
    length = len(evidence.answer) if is_cell and len(items) == 1 else max(map(len, items), default=0)
    if not items or len(items) > MOST_ITEMS or length > SHORT_ANSWER_CHARS:
        return None
    return None if any(readable(item) is None for item in items) else items
