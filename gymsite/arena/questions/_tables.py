"""A table as one visit shows it: sorted, searched and paged by the tools that the episode was granted.

The parameters of an address are an agent's and may be anything. Whatever the page does not offer counts as
not given. Nothing is counted for the reader: no number of rows, pages or finds is ever shown.
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
# Up to so many columns; what has more is "tight".
DENSITIES = {4: "airy", 8: "roomy", 12: "dense"}
PLACE = re.compile(r"[1-9][0-9]{0,4}", re.ASCII)
# A number with what stands around it. After a sign or a dash within a cell it is unclear what it would be.
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
class Wish:
    """What a visit asks of the table; ``sort`` counts columns from 1, and 0 is the table's own order."""

    sort: int = 0
    direction: Direction = "ascending"
    find: str = ""
    page: int = 1

    @property
    def fields(self) -> list[tuple[str, str]]:
        """As parameters of an address; what is as it was is left out."""
        sort = [("sort", str(self.sort)), ("direction", self.direction)] if self.sort else []
        find = [("find", self.find)] if self.find else []
        return [*sort, *find, *([("page", str(self.page))] if self.page > 1 else [])]

    @property
    def query(self) -> str:
        return f"?{urlencode(self.fields)}" if self.fields else ""

    @property
    def address(self) -> str:
        """Of the question's page, also when it is shown under the address of its form."""
        return f"./{self.query}"


@dataclass(frozen=True, kw_only=True)
class Column:
    """``order`` is the value of ``aria-sort``; both are None where the column cannot be sorted."""

    number: int
    text: str
    is_wordy: bool = False
    order: str | None = None
    address: str | None = None

    @property
    def name(self) -> str:
        return self.text.strip() or f"Column {self.number}"


@dataclass(frozen=True, kw_only=True)
class Arranged:
    """``previous`` and ``following`` ask for the pages beside this one, where there are such pages.

    ``is_by_text`` says that the order is one of texts, and not one of numbers.
    """

    wish: Wish
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    is_by_text: bool = False
    previous: Wish | None = None
    following: Wish | None = None

    @property
    def sorted_by(self) -> Column | None:
        return self.columns[self.wish.sort - 1] if self.wish.sort else None

    @property
    def density(self) -> str:
        """How close its cells stand, so that nearly every table fits into a window 1,280 pixels wide."""
        return next((name for most, name in DENSITIES.items() if len(self.columns) <= most), "tight")

    @property
    def plain(self) -> Wish:
        """The table as it is."""
        return Wish()

    @property
    def original(self) -> Wish:
        return replace(self.wish, sort=0, page=1)

    @property
    def everything(self) -> Wish:
        """The same without the search."""
        return replace(self.wish, find="", page=1)

    @property
    def kept(self) -> list[tuple[str, str]]:
        """What a new search keeps."""
        return self.everything.fields


def arranged(table: Table, query: Mapping[str, str], tools: frozenset[str]) -> Arranged:
    """The rows that a visit shows, in their order. Without tools this is the table as it is."""
    wish = _wish(query, tools, width=len(table.header))
    numbers = _numbers([row[wish.sort - 1] for row in table.rows]) if wish.sort else {}
    rows = _sorted(_found(table.rows, wish.find), wish, numbers=numbers)
    last = max(1, -(-len(rows) // ROWS_PER_PAGE)) if "paging" in tools else 1
    wish = replace(wish, page=wish.page if wish.page <= last else 1)
    if "paging" in tools:
        rows = rows[(wish.page - 1) * ROWS_PER_PAGE : wish.page * ROWS_PER_PAGE]
    return Arranged(
        wish=wish,
        columns=_columns(table, wish, is_sortable="sort" in tools),
        rows=rows,
        is_by_text=numbers is None,
        previous=replace(wish, page=wish.page - 1) if wish.page > 1 else None,
        following=replace(wish, page=wish.page + 1) if wish.page < last else None,
    )


def _wish(query: Mapping[str, str], tools: frozenset[str], *, width: int) -> Wish:
    wish = Wish()
    sort, direction = _place(query.get("sort", "")), DIRECTIONS.get(query.get("direction", ""))
    if "sort" in tools and 1 <= sort <= width and direction:
        wish = replace(wish, sort=sort, direction=direction)
    if "find" in tools and len(query.get("find", "")) <= FIND_CHARS:
        wish = replace(wish, find=query.get("find", "").strip())
    if "paging" in tools:
        wish = replace(wish, page=_place(query.get("page", "")) or 1)
    return wish


def _place(text: str) -> int:
    return int(text) if PLACE.fullmatch(text) else 0


def _columns(table: Table, wish: Wish, *, is_sortable: bool) -> list[Column]:
    wordy = [any(len(cell) > WORDY_CHARS for cell in cells) for cells in zip(*table.rows, strict=True)]
    columns = [
        Column(number=number, text=text, is_wordy=is_wordy)
        for number, (text, is_wordy) in enumerate(zip(table.header, wordy, strict=True), start=1)
    ]
    return [_with_link(column, wish) for column in columns] if is_sortable else columns


def _with_link(column: Column, wish: Wish) -> Column:
    """Its link goes from the table's own order to ascending, descending and back."""
    turned = replace(wish, sort=column.number, direction="ascending", page=1)
    if wish.sort != column.number:
        return replace(column, order="none", address=turned.address)
    falling = replace(turned, direction="descending")
    turned = falling if wish.direction == "ascending" else replace(turned, sort=0)
    return replace(column, order=wish.direction, address=turned.address)


def _found(rows: Sequence[Sequence[str]], text: str) -> Sequence[Sequence[str]]:
    wanted = _plain(text)
    return [row for row in rows if any(wanted in _plain(cell) for cell in row)] if wanted else rows


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _sorted(
    rows: Sequence[Sequence[str]], wish: Wish, *, numbers: Mapping[str, float] | None
) -> Sequence[Sequence[str]]:
    """Stable; by ``numbers`` where there are such, else by text; empty cells come last either way."""
    if not wish.sort:
        return rows
    place = wish.sort - 1
    full = [row for row in rows if row[place].strip()]
    empty = [row for row in rows if not row[place].strip()]
    is_falling = wish.direction == "descending"
    if numbers is None:
        full.sort(key=lambda row: _plain(row[place]), reverse=is_falling)
    else:
        full.sort(key=lambda row: numbers[row[place]], reverse=is_falling)
    return full + empty


def _numbers(cells: Sequence[str]) -> dict[str, float] | None:
    """The number of each cell, when the whole column has numbers with one same text before and after them."""
    found: dict[str, float] = {}
    units: set[tuple[str, str]] = set()
    for cell in filter(str.strip, cells):
        measure = MEASURE.fullmatch(cell.strip().replace(MINUS, "-"))
        if measure is None:
            return None
        found[cell] = float(measure["sign"] + measure["size"].replace(",", ""))
        units.add((measure["before"].strip(), measure["after"].strip()))
    return found if len(units) <= 1 else None
