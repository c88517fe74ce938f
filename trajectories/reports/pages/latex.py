"""LaTeX output of a report's tables, which needs the packages booktabs and fontenc."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trajectories.reports.pages.tables import Cell, ShownTable
from trajectories.shell.text.untrusted import visible

SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "−": r"$-$",
    "–": "--",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_SPECIAL = re.compile("|".join(map(re.escape, SPECIAL)))
NOTE = "Note"


def escaped(text: str) -> str:
    """Return the text escaped for LaTeX, on one line."""
    return _SPECIAL.sub(lambda match: SPECIAL[match[0]], " ".join(visible(text).split()))


def table_tex(table: ShownTable, *, caption: str) -> str:
    """Return a table as LaTeX, with the columns that the page shows.

    Notes of rows are below the table, marked with letters.
    """
    indexes = [index for index, (title, _) in enumerate(table.heads) if title != NOTE]
    notes = list(dict.fromkeys(note for row in table.rows if (note := _note(row))))
    columns = "".join("r" if table.heads[index][1] else "l" for index in indexes)
    # A table without rows may have no columns either, at which LaTeX would stop, so its body is left out.
    body = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _line([escaped(table.heads[index][0]) for index in indexes]),
        r"\midrule",
        *(_line(_row(row, indexes, notes)) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escaped(caption)}}}",
        rf"\label{{tab:{table.id}}}",
        *(body if table.rows else ["There are no rows."]),
        *(
            rf"\par\footnotesize \textsuperscript{{{_letter(n)}}}\,{escaped(note)}"
            for n, note in enumerate(notes)
        ),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _row(row: Sequence[Cell], indexes: Sequence[int], notes: Sequence[str]) -> list[str]:
    cells = [escaped(_text(row[index])) for index in indexes]
    if note := _note(row):
        cells[-1] += rf"\textsuperscript{{{_letter(notes.index(note))}}}"
    return cells


def _text(cell: Cell) -> str:
    return f"{cell.text} ({cell.interval})" if cell.interval else cell.text


def _note(row: Sequence[Cell]) -> str:
    return next((cell.text for cell in row if cell.title == NOTE), "")


def _letter(number: int) -> str:
    return chr(ord("a") + number) if number < 26 else str(number + 1)


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
