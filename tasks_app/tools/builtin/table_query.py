"""Queries of the stock list: one column of the rows that have a given value in another column."""

from __future__ import annotations

from fractions import Fraction

from palaestra.protocol.suggestions import did_you_mean
from tasks_app.tools.data import COLUMNS, NUMBER_COLUMNS, ToolData
from tasks_app.tools.readers import choice, exact, folded, number_text, words
from tasks_app.tools.types import Arguments, Field, Tool, ToolError, tool_register

WAYS = ("list", "sum", "largest", "smallest", "count")
LISTED_MAX = 20


def run(values: Arguments, data: ToolData) -> str:
    """Summarise the cells of the matching rows in the requested way. Raises ``ToolError``."""
    column, way = values["show"], values["as"]
    cells = [row[column] for row in data.rows if folded(row[values["where"]]) == values["equals"]]
    if not cells:
        known = sorted({row[values["where"]] for row in data.rows})
        hint = did_you_mean(values["equals"], known)
        raise ToolError(f"No row has {values['equals'][:40]!r} in {values['where']}. {hint}")
    if way == "list":
        return f"{column}: {', '.join(cells[:LISTED_MAX])}"
    if way == "count":
        return f"{len(cells)} rows"
    if column not in NUMBER_COLUMNS:
        raise ToolError(f"{column} is not a column of numbers: {', '.join(NUMBER_COLUMNS)}.")
    return f"{way} of {column}: {number_text(_of(way, [exact(cell) for cell in cells]))}"


def _of(way: str, numbers: list[Fraction]) -> Fraction:
    if way == "sum":
        return sum(numbers, Fraction())
    return max(numbers) if way == "largest" else min(numbers)


tool_register(
    Tool(
        id="table_query",
        title="Stock list",
        description=(
            f"Looks up the stock list, whose columns are {', '.join(COLUMNS)} (price in crowns, weight in "
            "kilograms): one column of the rows that have a value in another, as a list, sum, largest, "
            "smallest or count."
        ),
        button="Look up",
        fields=(
            choice("show", "Column to show", COLUMNS),
            choice("as", "Shown as", WAYS),
            choice("where", "Of rows whose", COLUMNS),
            Field(name="equals", label="Equals", kind="text", read=words, hint="such as Harbour"),
        ),
        run=run,
    )
)
