"""A problem in words and formulas, answered in one short text field."""

from __future__ import annotations

from collections.abc import Mapping

from gymsite.arena.registry import QuestionKind, questions
from gymsite.core import latex


def render(payload: Mapping[str, object], /) -> Mapping[str, object]:
    """The payload has ``text`` and its ``format``, ``plain`` or ``latex``."""
    is_latex = payload.get("format") == "latex"
    blocks = latex.blocks_split(str(payload["text"]), text_format="latex" if is_latex else "plain")
    has_formulas = any(segment.is_formula for block in blocks for segment in block.segments)
    return {"blocks": blocks, "has_formulas": has_formulas, "is_plain": not is_latex}


questions.register("free_answer", QuestionKind(template="arena/free_answer.html", render=render))
