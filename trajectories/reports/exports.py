"""Files of a report: its episodes row by row, and each table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from trajectories.reports.episode_rows import EpisodeRow

CONTENT_TYPES = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}


def rows_as_jsonl(rows: Iterable[EpisodeRow]) -> Iterator[bytes]:
    for row in rows:
        yield msgspec.json.encode(row._asdict()) + b"\n"


def rows_as_csv(rows: Iterable[EpisodeRow]) -> Iterator[bytes]:
    yield _line(EpisodeRow._fields)
    for row in rows:
        yield _line(row)


EXPORTS = {"jsonl": rows_as_jsonl, "csv": rows_as_csv}


def table_as_csv(table: Mapping[str, Any]) -> bytes:
    """A stored table; a number that cannot be stated is empty."""
    ids = [column["id"] for column in table["columns"]]
    lines = [ids, *([row.get(column) for column in ids] for row in table["rows"])]
    return b"".join(map(_line, lines))


def _line(values: Sequence[Any]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(["" if value is None else value for value in values])
    return buffer.getvalue().encode()
