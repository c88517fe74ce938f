"""CSV files that are safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from datetime import datetime
from typing import Any

# A spreadsheet would run a cell that begins with one of these as a formula.
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


def encode_csv(rows: Iterable[Iterable[Any]]) -> bytes:
    """Encode rows as CSV in UTF-8, one line per row."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(_cell, row) for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def unescape_formula(cell: str) -> str:
    """Undo the escaping that ``encode_csv`` applies to a cell."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA_SIGNS) else cell


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat()
    return escape_formula(value)


def escape_formula(value: Any) -> Any:
    """Escape a cell that a spreadsheet would run as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_SIGNS) else value
