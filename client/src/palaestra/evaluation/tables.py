"""Rendering of a report's tables for a terminal, with the main columns and each note once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Table = Mapping[str, Any]
NOTE = "note"
SHARES = ("%", "points")
P_LEAST = 0.001


def format_tables(tables: Iterable[Table]) -> str:
    """Format those tables that have main columns as text, each with its notes and its rows' notes.

    The report's page has all tables with all columns.
    """
    return "\n\n".join(_format_table(table, table["main"]) for table in tables if table.get("main"))


def _format_table(table: Table, names: Sequence[str]) -> str:
    columns = [column for column in table["columns"] if column["id"] in names]
    notes = list(dict.fromkeys(row[NOTE] for row in table["rows"] if row.get(NOTE)))
    head = [*map(_format_head, columns), ""]
    body = [
        [*(_format_value(row.get(column["id"]), column) for column in columns), _format_mark(row, notes)]
        for row in table["rows"]
    ]
    widths = [max(map(len, values)) for values in zip(head, *body, strict=True)]
    is_number = [*map(_is_number, columns), False]
    lines = [_format_line(values, widths, is_number) for values in (head, *body)]
    numbered = [f"[{number}] {note}" for number, note in enumerate(notes, start=1)]
    return "\n".join([table["title"], *lines, *table.get("notes", ()), *numbered])


def _format_mark(row: Mapping[str, Any], notes: Sequence[str]) -> str:
    return f"[{notes.index(row[NOTE]) + 1}]" if row.get(NOTE) else ""


def _format_head(column: Mapping[str, Any]) -> str:
    unit = column.get("unit")
    return (
        f"{column['title']} ({unit})"
        if unit in SHARES and column["id"] not in ("low", "high")
        else str(column["title"])
    )


def _format_line(values: Sequence[str], widths: Sequence[int], is_number: Sequence[bool]) -> str:
    padded = (
        value.rjust(width) if right else value.ljust(width)
        for value, width, right in zip(values, widths, is_number, strict=True)
    )
    return "  ".join(padded).rstrip()


def _is_number(column: Mapping[str, Any]) -> bool:
    return bool(column.get("unit")) or column["id"] == "p"


def _format_value(value: Any, column: Mapping[str, Any]) -> str:
    if value is None:
        return "-"
    if not isinstance(value, int | float):
        return str(value)
    if column.get("unit") in SHARES:
        return f"{value:.1f}"
    if column["id"] == "p":
        return f"< {P_LEAST}" if value < P_LEAST else f"{value:.3f}"
    return f"{value:,}"
