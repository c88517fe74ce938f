"""The shape of a report's tables: as the API returns them and as pages render them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct, to_builtins

from trajectories.reports.estimators.answers import Estimate

Row = Mapping[str, Any]

EPISODES_LINKED = 150
# The key, next to the tables in a result, of the episodes that were classified as lost, by class.
LOSSES = "losses"
PERCENT, POINTS, WORDS, COUNT, NONE = "%", "points", "words", "count", ""


class Column(Struct, frozen=True):
    """``unit``: ``%``, ``points`` of accuracy, ``words``, ``count``, or empty for text and pure numbers."""

    id: str
    title: str
    unit: str = NONE


BY_ARM = (Column("benchmark", "Benchmark"), Column("arm", "Arm"))


def interval_columns(
    column_id: str, title: str, unit: str, *, prefix: str = "", is_titled: bool = False
) -> tuple[Column, Column, Column]:
    """Return the columns of a value and of the ends of its interval, as ``with_ends`` fills them.

    ``is_titled``: the titles of the ends repeat the value's.
    """
    low, high = (f"{title}, low", f"{title}, high") if is_titled else ("Low", "High")
    return (
        Column(column_id, title, unit),
        Column(f"{prefix}low", low, unit),
        Column(f"{prefix}high", high, unit),
    )


class Table(Struct, frozen=True, kw_only=True):
    """Rows hold a value per column, None if it cannot be stated: the row's ``note`` says why.

    ``links`` in a row are the lab's addresses of the episodes behind its columns. ``main`` are the columns
    that a terminal has room for.
    """

    id: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    notes: Sequence[str] = ()
    main: Sequence[str] = ()


def table_record(table: Table) -> dict[str, Any]:
    """Return a table as JSON; cells missing in a row are null."""
    empty = {column.id: None for column in table.columns}
    rows = [{**empty, **row} for row in table.rows]
    record = {**to_builtins(table), "rows": to_builtins(rows)}
    return record if table.main else {name: part for name, part in record.items() if name != "main"}


def search_link(**query: str | int) -> str:
    """Return the address of the lab's search for these filters."""
    return "/search?" + urlencode(query, safe=",")


def episodes_link(episodes: Sequence[int]) -> str:
    """Return the address of a list of these episodes, as many as an address can name."""
    return search_link(episodes=",".join(map(str, episodes[:EPISODES_LINKED])))


def with_ends(name: str, estimate: Estimate | None, *, prefix: str = "") -> dict[str, float | None]:
    """Return a value and the ends of its interval, in percent or points, as the cells of a row."""
    ends = (estimate.value, estimate.low, estimate.high) if estimate else (None, None, None)
    return dict(zip((name, f"{prefix}low", f"{prefix}high"), map(scaled, ends), strict=True))


def scaled(share: float | None) -> float | None:
    """Return a share in percent, or a difference of shares in points."""
    if share is None or not math.isfinite(share):
        return None
    return round(share * 100, 6)


def number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(value, 8)
