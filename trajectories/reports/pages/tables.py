"""The tables of a report as pages show them, with intervals below values and links to episodes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from trajectories.reports.catalogue import table_known
from trajectories.reports.labels import label_of
from trajectories.shell.text.values import numeral

# Pairs of columns that are shown as one range, with its title.
RANGES = {"bootstrap_low": ("bootstrap_high", "Bootstrap"), "void_low": ("void_high", "With void")}
DECIMALS = {"%": 1, "points": 1, "words": 1, "count": 0, "": 3}
# The number of columns that identify a row, which are repeated in both parts of a wide table.
NAMING = 2


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A cell as a page shows it; ``interval`` and ``link`` are empty if there are none."""

    title: str
    text: str
    interval: str = ""
    link: str = ""
    is_number: bool = False


@dataclass(frozen=True, kw_only=True)
class ShownTable:
    """A table as a page shows it; ``apart`` has the remaining columns of a wide table."""

    id: str
    title: str
    heads: Sequence[tuple[str, bool]]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()
    apart: ShownTable | None = None


def tables_of(result: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """Return the stored tables, without those that have neither rows nor notes."""
    tables = result["tables"] if result else []
    return [table for table in tables if table["rows"] or table["notes"]]


def table_get(result: Mapping[str, Any] | None, table_id: str) -> Mapping[str, Any] | None:
    tables = result["tables"] if result else []
    return next((table for table in tables if table["id"] == table_id), None)


def table_shown(table: Mapping[str, Any]) -> ShownTable:
    """Return a stored table as a page shows it."""
    known = table_known(table["id"])
    aside = known.aside if known else frozenset()
    names = [column["id"] for column in table["columns"]]
    rest = _part(table, [*names[:NAMING], *(name for name in names if name in aside)]) if aside else None
    return _part(table, [name for name in names if name not in aside], notes=table["notes"], apart=rest)


def _part(
    table: Mapping[str, Any],
    names: Collection[str],
    *,
    notes: Sequence[str] = (),
    apart: ShownTable | None = None,
) -> ShownTable:
    intervals = _intervals(table)
    merged = {end for ends in intervals.values() for end in ends} | {high for high, _ in RANGES.values()}
    columns = [
        column
        for column in table["columns"]
        if column["id"] in names and column["id"] not in merged and not _is_empty(table, column)
    ]
    return ShownTable(
        id=table["id"],
        title=table["title"],
        heads=[(_head(column), _is_number(column)) for column in columns],
        rows=[
            [_cell(row, column, intervals.get(column["id"], ("", ""))) for column in columns]
            for row in table["rows"]
        ],
        notes=notes,
        apart=apart,
    )


def _intervals(table: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return, for each column, the two columns with its interval.

    They are named after the column or else follow it. Counts have no interval.
    """
    columns = [column for column in table["columns"] if column["unit"] != "count"]
    intervals = {}
    for column, low, high in zip_longest(columns, columns[1:], columns[2:], fillvalue={"id": ""}):
        own = f"{column['id']}_low", f"{column['id']}_high"
        following = low["id"], high["id"]
        if any(own[0] in row for row in table["rows"]):
            intervals[column["id"]] = own
        elif [end.rpartition("_")[2] for end in following] == ["low", "high"] and following[0] not in RANGES:
            intervals[column["id"]] = following
    return intervals


def _is_empty(table: Mapping[str, Any], column: Mapping[str, str]) -> bool:
    """Return whether a column of text, such as the notes, is empty in every row."""
    return not _is_number(column) and all(not row.get(column["id"]) for row in table["rows"])


def _cell(row: Mapping[str, Any], column: Mapping[str, str], ends: tuple[str, str]) -> Cell:
    name, unit = column["id"], column["unit"]
    title = _head(column)
    if name in RANGES:
        return Cell(title=title, text=_range(row.get(name), row.get(RANGES[name][0]), unit), is_number=True)
    value = row.get(name)
    link = "" if value is None else row.get("links", {}).get(name, "")
    if isinstance(value, str):
        return Cell(title=title, text=label_of(row, name), link=link)
    if value is None and not _is_number(column):
        return Cell(title=title, text="")
    low, high = (row.get(end) for end in ends)
    interval = "" if low is None else _range(low, high, unit)
    return Cell(
        title=title, text=text_of(value, unit), interval=interval, link=link, is_number=_is_number(column)
    )


def text_of(value: float | None, unit: str) -> str:
    """Return a number as text, with as many decimals as its unit has."""
    if value is None:
        return "–"
    if unit == "" and 0 <= value < 0.001:
        return "< 0.001"
    text = numeral(value, f",.{DECIMALS[unit]}f")
    return f"{text}%" if unit == "%" else text


def _range(low: float | None, high: float | None, unit: str) -> str:
    if low is None or high is None or low == high:
        return text_of(low if low == high else None, unit)
    return f"{text_of(low, unit)} to {text_of(high, unit)}"


def _head(column: Mapping[str, str]) -> str:
    title = RANGES[column["id"]][1] if column["id"] in RANGES else column["title"]
    return f"{title}, {column['unit']}" if column["unit"] == "points" else title


def _is_number(column: Mapping[str, str]) -> bool:
    return bool(column["unit"]) or column["id"].startswith(("p_", "odds")) or column["id"] == "p"
