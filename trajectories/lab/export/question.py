"""A task's question in a file that fetches and runs nothing: formulas are plain characters, tables tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.latex import Block
from tasks_app.prose import Piece, Prose
from tasks_app.questions import question_text, questions
from tasks_app.variation import Variation
from trajectories.lab.text.questions import problem_context, sources_of

# Of all texts of a question together, and of all of its table.
TEXT_MAX_CHARS = 60_000
TABLE_MAX_CHARS = 200_000
# What markup takes, however little it is of: a cell, a picture's name, a stretch of words, a formula.
MARKUP_CHARS = 20
ROW_MARKUP_CHARS = 50
CHOICE_MARKUP_CHARS = 200


def question_context(task: Any, variation: Variation | None) -> dict[str, Any]:
    """What ``lab/export/_question.html`` draws. ``words`` is the question in words alone where its kind is
    gone or it is too long, else nothing; ``tex`` its texts as they are written, where they have formulas."""
    sources = sources_of(task, variation)
    if task.kind in questions:
        drawn = problem_context(task, variation)
        prose = drawn["prose"]
        if _chars(drawn) <= TEXT_MAX_CHARS:
            tex = _as_written(prose) if prose.has_formulas else ""
            return {**drawn, "table": _table(drawn["table"]), "sources": sources, "words": "", "tex": tex}
    words = question_text(kind=task.kind, prompt=task.prompt, payload=task.payload, variation=variation)
    return {"sources": sources, "words": words[:TEXT_MAX_CHARS], "is_cut": len(words) > TEXT_MAX_CHARS}


def _chars(drawn: Mapping[str, Any]) -> int:
    prose: Prose = drawn["prose"]
    return (
        sum(map(_piece_chars, prose.pieces))
        + sum(len(choice.label) + CHOICE_MARKUP_CHARS for choice in prose.choices)
        + len(str(drawn["signature"]))
        + len(drawn["asserts"])
    )


def _piece_chars(piece: Piece) -> int:
    if not isinstance(piece, Block):
        return len(piece.figure.alternative) + MARKUP_CHARS
    return sum(len(segment.raw) + MARKUP_CHARS for segment in piece.segments)


def _as_written(prose: Prose) -> str:
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
    """The header and as many rows as there is room for; ``rows_out`` counts the others. ``is_out``: there is
    no room for the header, and so none for the table."""
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
