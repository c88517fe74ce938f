"""A task's question in a file that fetches and runs nothing: formulas are plain characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.latex import Block
from tasks_app.prose import Piece, Prose
from tasks_app.questions import question_text, questions
from tasks_app.variation import Variation
from trajectories.shell.text.questions import problem_context, sources_of

# All texts of a question together, and its whole table.
TEXT_MAX_CHARS = 60_000
TABLE_MAX_CHARS = 200_000
# Markup around a cell, a picture's name, words or a formula, however short they are.
MARKUP_CHARS = 20
ROW_MARKUP_CHARS = 50
CHOICE_MARKUP_CHARS = 200


def question_context(task: Any, variation: Variation | None) -> dict[str, Any]:
    """The context of ``lab/episode_files/_question.html``.

    ``words`` is the question as plain text if its kind no longer exists or it is too long; ``tex`` is the
    source of its texts if they contain formulas.
    """
    sources = sources_of(task, variation)
    if task.kind in questions:
        context = problem_context(task, variation)
        prose = context["prose"]
        if _chars(context) <= TEXT_MAX_CHARS:
            tex = _source(prose) if prose.has_formulas else ""
            return {**context, "table": _table(context["table"]), "sources": sources, "words": "", "tex": tex}
    words = question_text(kind=task.kind, prompt=task.prompt, payload=task.payload, variation=variation)
    return {"sources": sources, "words": words[:TEXT_MAX_CHARS], "is_cut": len(words) > TEXT_MAX_CHARS}


def _chars(context: Mapping[str, Any]) -> int:
    prose: Prose = context["prose"]
    return (
        sum(map(_piece_chars, prose.pieces))
        + sum(len(choice.label) + CHOICE_MARKUP_CHARS for choice in prose.choices)
        + len(str(context["signature"]))
        + len(context["asserts"])
    )


def _piece_chars(piece: Piece) -> int:
    if not isinstance(piece, Block):
        return len(piece.figure.alternative) + MARKUP_CHARS
    return sum(len(segment.raw) + MARKUP_CHARS for segment in piece.segments)


def _source(prose: Prose) -> str:
    choices = (f"{choice.label}. {_raw(choice.pieces)}" for choice in prose.choices)
    return "\n\n".join(filter(None, (_raw(prose.passage), _raw(prose.question), *choices)))


def _raw(pieces: Sequence[Piece]) -> str:
    return "\n\n".join(
        "".join(segment.raw for segment in piece.segments)
        if isinstance(piece, Block)
        else f"[{piece.figure.alternative}]"
        for piece in pieces
    )


def _table(table: Any) -> dict[str, Any] | None:
    """The header and as many rows as fit; ``rows_out`` counts the others.

    ``is_out`` if the table is left out because even its header does not fit.
    """
    if not table:
        return None
    room, rows = TABLE_MAX_CHARS - _row_chars(table["header"]), []
    is_out = room < 0
    for row in table["rows"]:
        room -= _row_chars(row)
        if room < 0:
            break
        rows.append(row)
    return {
        "header": table["header"],
        "rows": rows,
        "rows_out": len(table["rows"]) - len(rows),
        "is_out": is_out,
    }


def _row_chars(row: Sequence[object]) -> int:
    return ROW_MARKUP_CHARS + sum(len(str(cell)) + MARKUP_CHARS for cell in row)
