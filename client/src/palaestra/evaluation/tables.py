"""A report's tables as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

SHOWN = ("accuracy", "gaps", "rungs", "planted", "deviations")
GAP = "  "
NOTE = "note"


def tables_text(tables: Iterable[Mapping[str, Any]], *, shown: Sequence[str] = SHOWN) -> str:
    """The tables named in ``shown``, in that order, each with its title and notes."""
    by_id = {table["id"]: table for table in tables}
    return "\n\n".join(_table(by_id[name]) for name in shown if name in by_id)


def _table(table: Mapping[str, Any]) -> str:
    columns = [column for column in table["columns"] if column["id"] != NOTE]
    head = [_head(column) for column in columns]
    body = [[_value(row.get(column["id"])) for column in columns] for row in table["rows"]]
    widths = [max(map(len, values)) for values in zip(head, *body, strict=True)]
    lines = [table["title"], _line(head, widths)]
    for row, values in zip(table["rows"], body, strict=True):
        note = row.get(NOTE)
        lines.append(_line(values, widths) + (f"{GAP}{note}" if note else ""))
    if not body:
        lines.append("(none)")
    return "\n".join([*lines, *table.get("notes", ())])


def _head(column: Mapping[str, Any]) -> str:
    unit = column.get("unit")
    return f"{column['title']} ({unit})" if unit else str(column["title"])


def _line(values: Sequence[str], widths: Sequence[int]) -> str:
    return GAP.join(value.ljust(width) for value, width in zip(values, widths, strict=True)).rstrip()


def _value(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
