"""A gold in the form of a submitted answer."""

from __future__ import annotations

from palaestra.protocol.answers import AnswerForm
from verifiers import denotations


def write_gold_answer(gold: str, *, form: AnswerForm) -> str | list[str]:
    """Return the answer that the gold holder submits: several values as a list, otherwise a text."""
    if form != "values":
        return gold
    items = denotations.split_cell(gold)
    return items if len(items) > 1 else items[0]
