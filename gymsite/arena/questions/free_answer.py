"""A problem in words and formulas, answered in one short text field."""

from __future__ import annotations

from collections.abc import Mapping

from gymsite.arena import saying
from gymsite.core import latex
from tasks_app.questions import SUBMIT, Answer, Move, Payload, QuestionKind, Visit, questions


def render(payload: Payload, visit: Visit, /) -> Mapping[str, object]:
    """The payload has ``text`` and its ``format``, ``plain`` or ``latex``."""
    is_latex = payload.get("format") == "latex"
    blocks = latex.blocks_split(str(payload["text"]), text_format="latex" if is_latex else "plain")
    has_formulas = any(segment.is_formula for block in blocks for segment in block.segments)
    return {"blocks": blocks, "has_formulas": has_formulas, "is_plain": not is_latex}


def text(payload: Payload, /) -> str:
    return str(payload["text"])


def said(payload: Payload, /) -> str:
    return saying.text_said(text(payload), text_format=str(payload.get("format")))


def moves(payload: Payload, answer: Answer, /) -> tuple[Move, ...]:
    return (Move(act="type", role="textbox", text=str(answer)), SUBMIT)


questions.register(
    "free_answer",
    QuestionKind(template="arena/free_answer.html", render=render, text=text, said=said, moves=moves),
)
