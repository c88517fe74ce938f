"""Definitions of the lab's lists: their columns, one record each, and their predefined views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

from django.template import engines
from django.template.base import Template

from core.text.toml import toml_load


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a list. ``cell`` is a template with ``row`` in its context.

    ``sort`` is SQL that is never null; it is empty if the list cannot be sorted by the column. The first
    click sorts numbers and times in descending order. Instead of ``sort``, ``rate`` may be given as SQL that
    can be null; rows without a rate come last in both directions.

    Columns of the ``width`` ``fill`` share the space that the others leave, and cut their text; ``wide`` and
    ``mid`` columns grow with their text up to a limit. A column that ``is_fixed`` is always shown, and first.
    """

    id: str
    title: str
    cell: str
    sort: str = ""
    rate: str = ""
    is_default: bool = True
    is_fixed: bool = False
    is_number: bool = False
    width: Literal["", "fill", "wide", "mid"] = ""
    description: str = ""
    is_newest_first: bool = False

    @property
    def is_sortable(self) -> bool:
        return bool(self.sort or self.rate)

    def sort_sql(self, *, is_descending: bool) -> str:
        missing = "-1" if is_descending else "2"
        return f"coalesce({self.rate}, {missing})" if self.rate else self.sort

    @property
    def first_sign(self) -> str:
        return "-" if self.is_number or self.is_newest_first else ""

    @property
    def template(self) -> Template:
        return _compile(self.cell)

    @property
    def classes(self) -> str:
        names = (f"col-{self.width}" if self.width else "", "number" if self.is_number else "")
        return " ".join(filter(None, names))


@cache
def _compile(cell: str) -> Template:
    compiled: Template = engines["django"].from_string(f"{{% load lab %}}{cell}").template  # type: ignore[attr-defined]
    return compiled


@dataclass(frozen=True, kw_only=True)
class Table:
    """A list. ``page`` is the name of its URL pattern, ``views`` has titles and queries of useful selections,
    and ``sort`` is the order if the address has none.
    """

    name: str
    page: str
    caption: str
    columns: Sequence[Column]
    sort: str
    views: Sequence[tuple[str, str]] = ()

    @cached_property
    def by_id(self) -> dict[str, Column]:
        return {column.id: column for column in self.columns}

    @cached_property
    def shown_first(self) -> list[str]:
        """The columns that are shown if the address lists none."""
        return [column.id for column in self.columns if column.is_default or column.is_fixed]


def load_list(file: Path, *more: Column) -> Table:
    """Load a list from its TOML file; the columns in ``more`` follow those of the file."""
    table = toml_load(file, Table)
    return replace(table, columns=(*table.columns, *more))
