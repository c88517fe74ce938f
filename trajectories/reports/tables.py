"""The shape of a report's tables: as REST answers them and as pages draw them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct, to_builtins

Row = Mapping[str, Any]

EPISODES_LINKED = 150
PERCENT, POINTS, WORDS, COUNT, NONE = "%", "points", "words", "count", ""


class Column(Struct, frozen=True):
    """``unit``: ``%``, ``points`` of accuracy, ``words``, ``count``, or empty for text and pure numbers."""

    id: str
    title: str
    unit: str = NONE


class Table(Struct, frozen=True, kw_only=True):
    """Rows hold a value per column, None where it cannot be stated: the row's ``note`` says why.

    ``links`` in a row are the lab's addresses of the episodes behind its columns.
    """

    id: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    notes: Sequence[str] = ()


def table_record(table: Table) -> dict[str, Any]:
    """As JSON; what a row leaves out is null."""
    empty = {column.id: None for column in table.columns}
    rows = [{**empty, **row} for row in table.rows]
    return {**to_builtins(table), "rows": to_builtins(rows)}


def episodes_link(episodes: Sequence[int]) -> str:
    """The lab's search for the first of these episodes, as many as it can name."""
    return "/search?" + urlencode({"episodes": ",".join(map(str, episodes[:EPISODES_LINKED]))}, safe=",")


def scaled(share: float | None) -> float | None:
    """A share in percent, or a difference of shares in points."""
    if share is None or not math.isfinite(share):
        return None
    return round(share * 100, 6)


def number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(value, 8)
