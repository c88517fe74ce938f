"""The structure of a report's tables, which the API returns and pages render."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct, to_builtins

from trajectories.reports.estimators.answers import Estimate

Row = Mapping[str, Any]

EPISODES_LINKED = 150
# The key of a result under which it has the lost episodes by class, next to the tables.
LOSSES = "losses"
PERCENT, POINTS, WORDS, COUNT, NONE = "%", "points", "words", "count", ""


class Column(Struct, frozen=True):
    """A column of a table.

    ``unit`` is ``%``, ``points`` of accuracy, ``words``, ``count``, or empty for text and plain numbers.
    """

    id: str
    title: str
    unit: str = NONE


BY_ARM = (Column("benchmark", "Benchmark"), Column("arm", "Arm"))


def interval_columns(
    column_id: str, title: str, unit: str, *, prefix: str = "", is_titled: bool = False
) -> tuple[Column, Column, Column]:
    """Return the columns for a value and the ends of its interval, which ``with_ends`` fills.

    With ``is_titled``, the titles of the ends include the value's title.
    """
    low, high = (f"{title}, low", f"{title}, high") if is_titled else ("Low", "High")
    return (
        Column(column_id, title, unit),
        Column(f"{prefix}low", low, unit),
        Column(f"{prefix}high", high, unit),
    )


class Table(Struct, frozen=True, kw_only=True):
    """A table of a report.

    Rows have a value per column, which is None if it could not be estimated; the row's ``note`` then gives
    the reason. ``links`` in a row are the addresses, in the lab, of the episodes behind its columns. ``main``
    lists the columns for which a terminal has room.
    """

    id: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    notes: Sequence[str] = ()
    main: Sequence[str] = ()


def table_record(table: Table) -> dict[str, Any]:
    """Return a table as plain JSON values, with null for cells that a row lacks."""
    empty = {column.id: None for column in table.columns}
    rows = [{**empty, **row} for row in table.rows]
    record = {**to_builtins(table), "rows": to_builtins(rows)}
    return record if table.main else {name: part for name, part in record.items() if name != "main"}


def search_link(**query: str | int) -> str:
    """Return the address of the lab's search with these filters."""
    return "/search?" + urlencode(query, safe=",")


def episodes_link(episodes: Sequence[int]) -> str:
    """Return the address of a list of these episodes, up to the number that an address can name."""
    return search_link(episodes=",".join(map(str, episodes[:EPISODES_LINKED])))


def with_ends(name: str, estimate: Estimate | None, *, prefix: str = "") -> dict[str, float | None]:
    """Return an estimate's value and the ends of its interval as cells of a row, in percent or points."""
    ends = (estimate.value, estimate.low, estimate.high) if estimate else (None, None, None)
    return dict(zip((name, f"{prefix}low", f"{prefix}high"), map(scaled, ends), strict=True))


def scaled(share: float | None) -> float | None:
    """Convert a share to percent, or a difference of shares to points."""
    if share is None or not math.isfinite(share):
        return None
    return round(share * 100, 6)


def number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(value, 8)
