"""Wrong answers to tasks, made by one rule for each answer form.

- Choices: the next label after the right one, cyclically, whose text is different.
- Values: the right values and one more.
- A program: the functions in the signature, each of which returns None.
- A line: the next gold in the split that cannot be another way of writing this gold, because both are numbers
  more than a tenth apart, or because neither text contains the other. If there is no such gold, the answer is
  a phrase that answers no question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from palaestra.protocol.answers import AnswerForm
from verifiers import denotations

ONE_MORE = "no such value"
NOTHING_LIKE_IT = "no such answer"
APART = 0.1


def wrong_answer(
    *, payload: Mapping[str, Any], form: AnswerForm, right: str, others: Iterable[str]
) -> str | list[str]:
    """Make a wrong answer; ``right`` is the gold with its label as shown, ``others`` are other golds."""
    if form == "values":
        return [*denotations.split_cell(right), ONE_MORE]
    if form == "program":
        signatures = str(payload.get("signature", "")).splitlines()
        return "\n".join(f"{line}\n    return None" for line in signatures) or "pass"
    if "choices" in payload:
        return _next_label({str(choice["label"]): choice["text"] for choice in payload["choices"]}, right)
    return next((other for other in others if _differs(right, other)), NOTHING_LIKE_IT)


def _next_label(texts: Mapping[str, str], right: str) -> str:
    """Return the label of the next choice whose text differs from that of the right choice."""
    labels = list(texts)
    others = labels[labels.index(right) + 1 :] + labels
    return next((label for label in others if texts[label] != texts[right]), NOTHING_LIKE_IT)


def _differs(first: str, other: str) -> bool:
    numbers = _number(first), _number(other)
    if numbers[0] is not None and numbers[1] is not None:
        return abs(numbers[0] - numbers[1]) > APART * max(abs(numbers[0]), abs(numbers[1]))
    plain, another = _plain(first), _plain(other)
    return plain not in another and another not in plain


def _number(text: str) -> float | None:
    try:
        return float(text.strip().strip("$%").replace(",", ""))
    except ValueError:
        return None


def _plain(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())
