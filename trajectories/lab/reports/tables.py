"""Tables of a report as pages show them: a value with its interval below it, and a link to its episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trajectories.reports.ladder import arm_read

# Columns that are shown as the interval of another, and pairs that are shown as one range.
INTERVALS = {
    "accuracy": ("low", "high"),
    "gap": ("low", "high"),
    "pass_at_k": ("low", "high"),
    "odds_ratio": ("odds_low", "odds_high"),
    "corrected": ("corrected_low", "corrected_high"),
}
RANGES = {"bootstrap_low": ("bootstrap_high", "Bootstrap"), "void_low": ("void_high", "With void")}
DECIMALS = {"%": 1, "points": 1, "count": 0, "": 3}
ARM_COLUMNS = frozenset({"arm"})


@dataclass(frozen=True, kw_only=True)
class Cell:
    """``interval`` and ``link`` are empty where there is none."""

    title: str
    text: str
    interval: str = ""
    link: str = ""
    is_number: bool = False


@dataclass(frozen=True, kw_only=True)
class ShownTable:
    id: str
    title: str
    heads: Sequence[tuple[str, bool]]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str]


def tables_shown(result: Mapping[str, Any] | None) -> list[ShownTable]:
    """The tables of a result; those without rows are left out unless a note says what that means."""
    tables = result["tables"] if result else []
    return [_shown(table) for table in tables if table["rows"] or table["notes"]]


def table_get(result: Mapping[str, Any] | None, table_id: str) -> Mapping[str, Any] | None:
    tables = result["tables"] if result else []
    return next((table for table in tables if table["id"] == table_id), None)


def _shown(table: Mapping[str, Any]) -> ShownTable:
    merged = {name for pair in INTERVALS.values() for name in pair} | {high for high, _ in RANGES.values()}
    columns = [column for column in table["columns"] if column["id"] not in merged]
    heads = [(_title(column), _is_number(column)) for column in columns]
    rows = [[_cell(row, column) for column in columns] for row in table["rows"]]
    return ShownTable(id=table["id"], title=table["title"], heads=heads, rows=rows, notes=table["notes"])


def _cell(row: Mapping[str, Any], column: Mapping[str, str]) -> Cell:
    name, unit = column["id"], column["unit"]
    title, link = _title(column), row.get("links", {}).get(name, "")
    if name in RANGES:
        return Cell(title=title, text=_range(row.get(name), row.get(RANGES[name][0]), unit), is_number=True)
    value = row.get(name)
    if name in ARM_COLUMNS:
        return Cell(title=title, text=arm_label(str(value)), link=link)
    if isinstance(value, str):
        return Cell(title=title, text=value, link=link)
    low, high = (row.get(end) for end in INTERVALS.get(name, ("", "")))
    interval = "" if low is None else _range(low, high, unit)
    return Cell(
        title=title, text=text_of(value, unit), interval=interval, link=link, is_number=_is_number(column)
    )


def arm_label(arm_id: str) -> str:
    """What readers call an arm; an id that is none stays as it is."""
    try:
        return arm_read(arm_id).label
    except ValueError:
        return arm_id


def text_of(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    if unit == "" and 0 <= value < 0.001:
        return "< 0.001"
    text = f"{value:,.{DECIMALS[unit]}f}"
    return f"{text}%" if unit == "%" else text


def _range(low: float | None, high: float | None, unit: str) -> str:
    return "–" if low is None or high is None else f"{text_of(low, unit)} to {text_of(high, unit)}"


def _title(column: Mapping[str, str]) -> str:
    return RANGES[column["id"]][1] if column["id"] in RANGES else column["title"]


def _is_number(column: Mapping[str, str]) -> bool:
    return bool(column["unit"]) or column["id"].startswith(("p_", "odds")) or column["id"] == "p"
