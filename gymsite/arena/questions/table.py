"""Questions about a table that are answered with one or several values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gymsite.arena import accessible_text, answer_interactions
from tasks_app import prose, table_views
from tasks_app.questions import SUBMIT, Answer, Move, Payload, QuestionKind, Visit, questions
from verifiers import denotations

ANSWERS_MAX = 100
MORE_BUTTON = "Add another answer"
# Characters that are white space in browsers but not in Python.
BYTE_ORDER_MARK = "\ufeff"


def render(payload: Payload, visit: Visit, /) -> Mapping[str, object]:
    """Build the context. The payload has ``text`` and ``table``: ``header`` and ``rows`` of plain cells."""
    return {
        "prose": prose.cut_prose(payload),
        "table": table_views.table_view(_read_table(payload), visit.query, visit.tools),
        "answers_max": ANSWERS_MAX,
        "more_button": MORE_BUTTON,
    }


def text(payload: Payload, /) -> str:
    """Write the question and a Markdown table. In cells, pipes are escaped and line breaks are ``<br>``."""
    table = _read_table(payload)
    lines = [table.header, ["---"] * len(table.header), *table.rows]
    drawn = "\n".join(f"| {' | '.join(map(_markdown, line))} |" for line in lines)
    return f"{prose.write_markdown(payload)}\n\n{drawn}"


def axtree_text(payload: Payload, /) -> str:
    """Write the question, and the table as an outline shows it: column names, header line and rows."""
    table = _read_table(payload)
    rows = (f"row: {_line(row)}" for row in table.rows)
    lines = [
        accessible_text.question_text(payload),
        'figure "Table"',
        "table",
        f"header: {_line(table.header)}",
    ]
    return "\n".join((*lines, *rows)).replace(BYTE_ORDER_MARK, " ")


def transcript(payload: Payload, /) -> str:
    """Write the question, then the table row by row, with a pipe between cells."""
    table = _read_table(payload)
    rows = (" | ".join(row) for row in (table.header, *table.rows))
    return "\n".join((accessible_text.transcript(payload), *rows))


def moves(payload: Payload, answer: Answer, /) -> tuple[Move, ...]:
    """List the moves that fill one field per value; a text is split into values at ``|``."""
    first, *others = denotations.split_cell(answer) if isinstance(answer, str) else answer
    typed = [Move(act="type", role="textbox", place=-1, text=first)]
    for other in others:
        typed.append(Move(act="press", role="button", name=MORE_BUTTON))
        typed.append(Move(act="type", role="textbox", place=-1, text=other))
    return (*typed, SUBMIT)


def _read_table(payload: Payload) -> table_views.Table:
    table = payload["table"]
    return table_views.Table(table["header"], table["rows"])


def _markdown(cell: str) -> str:
    return cell.strip().replace("|", "\\|").replace("\n", "<br>")


def _line(cells: Sequence[str]) -> str:
    return " | ".join(cell.replace("|", "\\|") for cell in cells)


questions.register(
    "table",
    QuestionKind(
        template="arena/table.html",
        form_template="arena/_table_answers.html",
        render=render,
        text=text,
        axtree_text=axtree_text,
        transcript=transcript,
        moves=moves,
        more_moves=answer_interactions.more_moves,
        answer_form="values",
        instruction="values",
        tools=frozenset({"sort", "find", "paging"}),
    ),
)
