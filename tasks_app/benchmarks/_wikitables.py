"""Tables of WikiTableQuestions, from CSV files that escape quotes with backslashes or from the hub's rows."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import msgspec

from verifiers import denotations

TABLES_CACHED = 64
ASKS_FOR_COUNTRY = re.compile(
    r"\b(?:which|what|whose) (?:\w+ )?(?:country|countries|nation|nations|nationality)\b", re.IGNORECASE
)
NOT_LETTER = re.compile(r"[^a-z]+")
PLACE = re.compile(r"csv/(\d+)-csv/(\d+)\.[ct]sv")
TABLE_PATH = re.compile(r"csv/[\w-]+/\w+\.csv")


class Table(msgspec.Struct):
    """A table; ``name`` is its path in the official tree."""

    header: list[str]
    rows: list[list[str]]
    name: str = ""

    @property
    def tag(self) -> str:
        """Tag that all questions about the table share; empty if the table is from another source."""
        match = PLACE.fullmatch(self.name)
        return f"table-{match[1]}-{match[2]}" if match else ""


def above(file: Path, relative: str) -> Path | None:
    """Find the relative path in the nearest ancestor folder of ``file`` that contains it."""
    return next((path for folder in _folders(file) if (path := folder / relative).is_file()), None)


@lru_cache(8)
def _folders(file: Path) -> tuple[Path, ...]:
    return tuple(file.resolve().parents)


def find_table(context: str, *, questions: Path) -> Path:
    """Find the table that a question in ``questions`` refers to. Raises ``ValueError`` if it is missing."""
    path = above(questions, context) if TABLE_PATH.fullmatch(context) else None
    if path is None:
        raise ValueError(f"there is no table {context[:80]!r} in any folder above the file")
    return path


@lru_cache(TABLES_CACHED)
def table_read(path: Path) -> Table:
    """Read a table. Raises ``ValueError`` if the file cannot be read as one."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            lines = list(csv.reader(stream, doublequote=False, escapechar="\\", strict=True))
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(f"the table {path.parent.name}/{path.name} cannot be read: {error}") from None
    return Table(lines[0] if lines else [], lines[1:])


def unescape(text: str) -> str:
    """Undo the escapes in a cell of an official TSV file."""
    return denotations.ESCAPE.sub(lambda match: denotations.ESCAPES[match.group()], text)


def unescape_table(table: Table) -> Table:
    """Undo the escapes that the hub's tables kept from the official TSV files."""
    header, *body = ([unescape(cell) for cell in line] for line in (table.header, *table.rows))
    return Table(header, body, table.name)


def is_country_lost(question: str, *, table: Table, answers: Iterable[str]) -> bool:
    """Return whether a question asks for a country that the page showed only as a flag."""
    if not ASKS_FOR_COUNTRY.search(question):
        return False
    seen = _letters(" ".join([question, *table.header, *(cell for row in table.rows for cell in row)]))
    return any(name and name not in seen for name in map(_letters, answers))


def _letters(text: str) -> str:
    return NOT_LETTER.sub("", denotations.normalise(text))


def shape_check(table: Table) -> None:
    """Raise ``ValueError`` for a table that is empty or has rows of different lengths.

    All official tables have rows of equal length. Unequal rows mean that the file was truncated or misread,
    which padding would hide.
    """
    if not table.header or not table.rows:
        raise ValueError(f"the table {table.name} is empty")
    width = len(table.header)
    for number, row in enumerate(table.rows, start=1):
        if len(row) != width:
            raise ValueError(
                f"row {number} of the table {table.name} has {len(row)} cells, but its header has {width}"
            )
