"""Views of a table, which the tools granted to the episode sort, search and page.

The parameters of a URL come from an agent and may be anything; those that the page does not offer are
ignored. The page counts nothing for the reader: it shows no number of rows, pages or matches.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urlencode

Direction = Literal["ascending", "descending"]

DIRECTIONS: Mapping[str, Direction] = {"ascending": "ascending", "descending": "descending"}
ROWS_PER_PAGE = 25
FIND_CHARS = 200
WORDY_CHARS = 24
# Maps the largest number of columns to a density; wider tables are "tight".
DENSITIES = {4: "airy", 8: "roomy", 12: "dense"}
PLACE = re.compile(r"[1-9][0-9]{0,4}", re.ASCII)
# A number with the text around it. A sign or dash inside a cell would make its meaning unclear.
MEASURE = re.compile(
    r"(?P<sign>[+-]?)(?P<before>[^\d+\-\u2010-\u2015]*?)"
    r"(?P<size>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?P<after>\D*)",
    re.ASCII,
)
MINUS = "\u2212"


@dataclass(frozen=True)
class Table:
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class TableQuery:
    """The requested view. ``sort`` is a column number from 1; 0 means the table's own order."""

    sort: int = 0
    direction: Direction = "ascending"
    find: str = ""
    page: int = 1

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Parameters of the view's URL, without defaults."""
        sort = [("sort", str(self.sort)), ("direction", self.direction)] if self.sort else []
        find = [("find", self.find)] if self.find else []
        return [*sort, *find, *([("page", str(self.page))] if self.page > 1 else [])]

    @property
    def query_string(self) -> str:
        return f"?{urlencode(self.fields)}" if self.fields else ""

    @property
    def address(self) -> str:
        """URL relative to the question's page, which also works under the URL of its form."""
        return f"./{self.query_string}"


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column. ``order`` is the value of ``aria-sort``; it and ``address`` are None without sorting."""

    number: int
    text: str
    is_wordy: bool = False
    order: str | None = None
    address: str | None = None

    @property
    def name(self) -> str:
        return self.text.strip() or f"Column {self.number}"


@dataclass(frozen=True, kw_only=True)
class TableView:
    """A table's view. ``previous`` and ``following`` are the neighbouring pages, if any.

    ``is_by_text`` is true if the rows are sorted as text rather than as numbers.
    """

    query: TableQuery
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    is_by_text: bool = False
    previous: TableQuery | None = None
    following: TableQuery | None = None

    @property
    def sorted_by(self) -> Column | None:
        return self.columns[self.query.sort - 1] if self.query.sort else None

    @property
    def density(self) -> str:
        """Cell spacing with which nearly every table fits into a window 1,280 pixels wide."""
        return next((name for most, name in DENSITIES.items() if len(self.columns) <= most), "tight")

    @property
    def plain(self) -> TableQuery:
        """Query for the whole table in its own order."""
        return TableQuery()

    @property
    def original(self) -> TableQuery:
        return replace(self.query, sort=0, page=1)

    @property
    def everything(self) -> TableQuery:
        """Query for the same view without the search."""
        return replace(self.query, find="", page=1)

    @property
    def search_fields(self) -> list[tuple[str, str]]:
        """Parameters that a new search keeps."""
        return self.everything.fields


def table_view(table: Table, parameters: Mapping[str, str], tools: frozenset[str]) -> TableView:
    """Build the view that the parameters request; without tools it is the table as it is."""
    query = _query_read(parameters, tools, width=len(table.header))
    numbers = _numbers([row[query.sort - 1] for row in table.rows]) if query.sort else {}
    rows = _sorted(_matching(table.rows, query.find), query, numbers=numbers)
    last = max(1, -(-len(rows) // ROWS_PER_PAGE)) if "paging" in tools else 1
    query = replace(query, page=query.page if query.page <= last else 1)
    if "paging" in tools:
        rows = rows[(query.page - 1) * ROWS_PER_PAGE : query.page * ROWS_PER_PAGE]
    return TableView(
        query=query,
        columns=_columns(table, query, is_sortable="sort" in tools),
        rows=rows,
        is_by_text=numbers is None,
        previous=replace(query, page=query.page - 1) if query.page > 1 else None,
        following=replace(query, page=query.page + 1) if query.page < last else None,
    )


def _query_read(parameters: Mapping[str, str], tools: frozenset[str], *, width: int) -> TableQuery:
    query = TableQuery()
    sort, direction = _place(parameters.get("sort", "")), DIRECTIONS.get(parameters.get("direction", ""))
    if "sort" in tools and 1 <= sort <= width and direction:
        query = replace(query, sort=sort, direction=direction)
    if "find" in tools and len(parameters.get("find", "")) <= FIND_CHARS:
        query = replace(query, find=parameters.get("find", "").strip())
    if "paging" in tools:
        query = replace(query, page=_place(parameters.get("page", "")) or 1)
    return query


def _place(text: str) -> int:
    return int(text) if PLACE.fullmatch(text) else 0


def _columns(table: Table, query: TableQuery, *, is_sortable: bool) -> list[Column]:
    wordy = [any(len(cell) > WORDY_CHARS for cell in cells) for cells in zip(*table.rows, strict=True)]
    columns = [
        Column(number=number, text=text, is_wordy=is_wordy)
        for number, (text, is_wordy) in enumerate(zip(table.header, wordy, strict=True), start=1)
    ]
    return [_with_link(column, query) for column in columns] if is_sortable else columns


def _with_link(column: Column, query: TableQuery) -> Column:
    """Add the column's link, which cycles from the table's own order to ascending, descending and back."""
    turned = replace(query, sort=column.number, direction="ascending", page=1)
    if query.sort != column.number:
        return replace(column, order="none", address=turned.address)
    falling = replace(turned, direction="descending")
    turned = falling if query.direction == "ascending" else replace(turned, sort=0)
    return replace(column, order=query.direction, address=turned.address)


def _matching(rows: Sequence[Sequence[str]], text: str) -> Sequence[Sequence[str]]:
    needle = _plain(text)
    return [row for row in rows if any(needle in _plain(cell) for cell in row)] if needle else rows


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _sorted(
    rows: Sequence[Sequence[str]], query: TableQuery, *, numbers: Mapping[str, float] | None
) -> Sequence[Sequence[str]]:
    """Sort stably, by ``numbers`` if given, else by text. Empty cells always come last."""
    if not query.sort:
        return rows
    column = query.sort - 1
    full = [row for row in rows if row[column].strip()]
    empty = [row for row in rows if not row[column].strip()]
    is_falling = query.direction == "descending"
    if numbers is None:
        full.sort(key=lambda row: _plain(row[column]), reverse=is_falling)
    else:
        full.sort(key=lambda row: numbers[row[column]], reverse=is_falling)
    return full + empty


def _numbers(cells: Sequence[str]) -> dict[str, float] | None:
    """Parse each cell's number; None unless all cells are numbers with the same prefix and suffix."""
    numbers: dict[str, float] = {}
    units: set[tuple[str, str]] = set()
    for cell in filter(str.strip, cells):
        measure = MEASURE.fullmatch(cell.strip().replace(MINUS, "-"))
        if measure is None:
            return None
        numbers[cell] = float(measure["sign"] + measure["size"].replace(",", ""))
        units.add((measure["before"].strip(), measure["after"].strip()))
    return numbers if len(units) <= 1 else None
