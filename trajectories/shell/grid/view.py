"""A reader's view of a list, that is its columns and order, which are both part of the address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import QueryDict
from django.urls import reverse

from trajectories.shell.grid.columns import Column, Table
from trajectories.shell.text.untrusted import cut, visible

SORT, COLUMNS = "sort", "columns"
PARAMETERS = frozenset({SORT, COLUMNS})
# A position in a list or a request for part of its page is not part of a view.
PASSING = ("after", "cursor", "fragment")
QUOTED_CHARS = 40


@dataclass(frozen=True, kw_only=True)
class Sort:
    """An order by a column and, among equal values, by id in the same direction."""

    column: Column
    is_descending: bool

    @property
    def code(self) -> str:
        return f"{'-' if self.is_descending else ''}{self.column.id}"

    @property
    def sql(self) -> str:
        return self.column.sort_sql(is_descending=self.is_descending)

    @property
    def direction(self) -> str:
        return "DESC" if self.is_descending else "ASC"

    def order_by(self, unique: str) -> str:
        """Return the columns for ``ORDER BY``, which end with a unique column."""
        columns = dict.fromkeys((self.sql, unique))
        return ", ".join(f"{column} {self.direction}" for column in columns)

    def after(self, unique: str, *, tables: str) -> str:
        """Return the SQL condition for rows that follow the row whose unique column is ``%(after)s``.

        ``tables`` is the FROM clause from which that row's own value of the sorted column is read.
        """
        sign = "<" if self.is_descending else ">"
        if self.sql == unique:
            return f"{unique} {sign} %(after)s"
        last = f"SELECT {self.sql}, {unique} FROM {tables} WHERE {unique} = %(after)s"  # noqa: S608
        return f"({self.sql}, {unique}) {sign} ({last})"

    @property
    def aria(self) -> str:
        return "descending" if self.is_descending else "ascending"


@dataclass(frozen=True, kw_only=True)
class Header:
    """A column's header. ``address`` sorts by the column, if possible; ``aria`` is its current order."""

    column: Column
    address: str
    aria: str = ""


@dataclass(frozen=True, kw_only=True)
class NamedView:
    title: str
    address: str
    is_current: bool


class GridView:
    """A view of a list, read from an address. Its ``parameters`` are untrusted; invalid ones are ignored.

    ``is_sortable`` is false for lists with a fixed order, such as search results for words, which are newest
    first. ``first`` replaces the table's default columns.
    """

    def __init__(
        self, table: Table, parameters: QueryDict, *, is_sortable: bool = True, first: Sequence[str] = ()
    ) -> None:
        self.table = table
        self._first = list(first) or table.shown_first
        self._given = parameters
        self._is_sortable = is_sortable
        self.errors: list[str] = []
        self.sort = self._sort()
        self.columns = self._columns()

    @cached_property
    def parameters(self) -> dict[str, str]:
        """The view's parameters in the address, without those that have their default."""
        shown = [column.id for column in self.columns]
        columns = {} if shown == self._first else {COLUMNS: ",".join(shown)}
        return ({} if self.sort.code == self.table.sort else {SORT: self.sort.code}) | columns

    @property
    def is_default_order(self) -> bool:
        return SORT not in self.parameters

    @property
    def is_scattered(self) -> bool:
        """True if the address repeats ``columns`` or has empty fields, as forms without scripts send them."""
        values = [value for name in self._given for value in self._given.getlist(name)]
        return len(self._given.getlist(COLUMNS)) > 1 or "" in values

    @property
    def headers(self) -> list[Header]:
        return [self._header(column) for column in self.columns]

    @property
    def choices(self) -> list[tuple[Column, bool]]:
        """The columns that readers can hide, each with True if it is shown."""
        return [(column, column in self.columns) for column in self.table.columns if not column.is_fixed]

    @property
    def fixed(self) -> list[Column]:
        return [column for column in self.table.columns if column.is_fixed]

    @property
    def parameters_beside(self) -> list[tuple[str, str]]:
        """The address's other parameters, which the form for choosing columns keeps."""
        return [(name, value) for name, value in self._pairs({}) if name != COLUMNS]

    @property
    def views(self) -> list[NamedView]:
        here = self.address()
        root = reverse(self.table.page)
        addresses = [(title, f"{root}?{query}" if query else root) for title, query in self.table.views]
        return [NamedView(title=title, address=one, is_current=one == here) for title, one in addresses]

    @property
    def plain_address(self) -> str:
        """The address of the same rows with the default columns and order."""
        return self.address(**dict.fromkeys(PARAMETERS, ""))

    def address(self, **changes: str) -> str:
        """Return the address of the list's top with these parameters changed, or left out if empty."""
        query = QueryDict(mutable=True)
        for name, value in self._pairs(changes):
            query.appendlist(name, value)
        root = reverse(self.table.page)
        return f"{root}?{query.urlencode()}" if query else root

    def _pairs(self, changes: dict[str, str]) -> list[tuple[str, str]]:
        own = self.parameters | changes
        pairs = [
            (name, value)
            for name in self._given
            if name not in own and name not in PASSING and name not in PARAMETERS
            for value in self._given.getlist(name)
        ]
        return [(name, value) for name, value in [*pairs, *own.items()] if value]

    def _header(self, column: Column) -> Header:
        is_sorted = column.id == self.sort.column.id
        address = ""
        if column.is_sortable and self._is_sortable:
            other = ("" if self.sort.is_descending else "-") if is_sorted else column.first_sign
            code = f"{other}{column.id}"
            address = self.address(**{SORT: "" if code == self.table.sort else code})
        return Header(column=column, address=address, aria=self.sort.aria if is_sorted else "")

    def _sort(self) -> Sort:
        given = str(self._given.get(SORT, ""))
        column = self.table.by_id.get(given.removeprefix("-"))
        if given and (column is None or not column.is_sortable):
            self.errors.append(f"Sort: “{_quoted(given)}” is not a column to sort by. This is ignored.")
        if not given or column is None or not column.is_sortable or not self._is_sortable:
            given = self.table.sort
        column = self.table.by_id[given.removeprefix("-")]
        return Sort(column=column, is_descending=given.startswith("-"))

    def _columns(self) -> list[Column]:
        given = ",".join(self._given.getlist(COLUMNS))
        names = [name.strip() for name in given.split(",") if name.strip()]
        known = [name for name in dict.fromkeys(names) if name in self.table.by_id]
        if unknown := [name for name in names if name not in self.table.by_id]:
            self.errors.append(f"Columns: “{_quoted(unknown[0])}” is not a column of this list; ignored.")
        chosen: Sequence[str] = known or self._first
        fixed = [column for column in self.table.columns if column.is_fixed]
        return [*fixed, *(self.table.by_id[name] for name in chosen if not self.table.by_id[name].is_fixed)]


def _quoted(value: Any) -> str:
    return cut(visible(str(value)), QUOTED_CHARS)


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A list on a page, with its view or, for a short list, with fixed columns."""

    table: Table
    headers: Sequence[Header]
    rows: Sequence[Any]

    @property
    def columns(self) -> list[Column]:
        return [header.column for header in self.headers]


def build_grid(view: GridView, rows: Sequence[Any]) -> Grid:
    return Grid(table=view.table, headers=view.headers, rows=rows)


def grid_short(table: Table, rows: Sequence[Any], *, columns: Sequence[str]) -> Grid:
    """Return a short list inside another page; the rows keep their order."""
    headers = [Header(column=table.by_id[name], address="") for name in columns]
    return Grid(table=table, headers=headers, rows=rows)
