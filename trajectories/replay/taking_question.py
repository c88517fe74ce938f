"""A task's question in a file that fetches and runs nothing: formulas are plain characters, tables tables."""

from __future__ import annotations

from typing import Any

from tasks_app.arrangement import Arrangement
from tasks_app.prose import FigureBlock, Prose
from tasks_app.questions import question_text, questions
from trajectories.replay.problems import problem_context, sources_of

# Of all texts of a question together, and of all cells of its table.
TEXT_MAX_CHARS = 60_000
TABLE_MAX_CHARS = 200_000


def question_context(task: Any, arrangement: Arrangement | None) -> dict[str, Any]:
    """What ``lab/_taken_question.html`` draws. ``words`` is the question in words alone where its kind is
    gone or it is too long, else nothing."""
    sources = sources_of(task, arrangement)
    if task.kind in questions:
        drawn = problem_context(task, arrangement)
        if _chars(drawn["prose"]) <= TEXT_MAX_CHARS:
            return {**drawn, "table": _table(drawn["table"]), "sources": sources, "words": ""}
    words = question_text(kind=task.kind, prompt=task.prompt, payload=task.payload, arrangement=arrangement)
    return {"sources": sources, "words": words[:TEXT_MAX_CHARS], "is_cut": len(words) > TEXT_MAX_CHARS}


def _chars(prose: Prose) -> int:
    return sum(len(piece.text) for piece in prose.pieces if not isinstance(piece, FigureBlock))


def _table(table: Any) -> dict[str, Any] | None:
    """The header and as many rows as there is room for; ``rows_out`` counts the others."""
    if not table:
        return None
    room, rows = TABLE_MAX_CHARS, []
    for row in table["rows"]:
        room -= sum(len(str(cell)) for cell in row)
        if room < 0:
            break
        rows.append(row)
    return {"header": table["header"], "rows": rows, "rows_out": len(table["rows"]) - len(rows)}
