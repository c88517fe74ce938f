"""Golds written as submitted answers."""

from __future__ import annotations

from palaestra.protocol.answers import AnswerForm
from verifiers import denotations


def write_gold_answer(gold: str, *, form: AnswerForm) -> str | list[str]:
    """Return the answer that the gold holder submits: a list for several values, otherwise a text."""
    if form != "values":
        return gold
    items = denotations.split_cell(gold)
    return items if len(items) > 1 else items[0]
