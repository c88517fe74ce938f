"""A gold in the form in which an answer is handed in."""

from __future__ import annotations

from tasks_app.questions import AnswerForm
from verifiers import denotations


def answer_of(gold: str, *, form: AnswerForm) -> str | list[str]:
    """What whoever knows the gold hands in: values as a list, one alone as a text; else the gold as it is."""
    if form != "values":
        return gold
    items = denotations.items_of(gold)
    return items if len(items) > 1 else items[0]
