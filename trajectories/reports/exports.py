"""The contents of a report's files: its episodes row by row, and each table."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, get_type_hints

import msgspec

from core.text.csv import escape_formula
from trajectories.models import Report
from trajectories.reports.episode_rows import CHUNK, EpisodeRow, episode_rows
from trajectories.reports.selectors import report_runs
from trajectories.reports.tables import COUNT, LOSSES

CONTENT_TYPES = {
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}
# The size of the parts in which files are sent, and the size up to which a file that must be complete before
# it is sent stays in memory.
PART_BYTES = 256 * 1024
IN_MEMORY_BYTES = 8 * 1024 * 1024


def rows_as_jsonl(rows: Iterable[EpisodeRow]) -> Iterator[bytes]:
    return _joined(msgspec.json.encode(row._asdict()) + b"\n" for row in rows)


def rows_as_csv(rows: Iterable[EpisodeRow]) -> Iterator[bytes]:
    return _joined(map(_line, chain([EpisodeRow._fields], rows)))


def _joined(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Join lines into larger parts, because sending a part costs the server the same whatever its size."""
    buffer = bytearray()
    for line in lines:
        buffer += line
        if len(buffer) >= PART_BYTES:
            yield bytes(buffer)
            buffer.clear()
    if buffer:
        yield bytes(buffer)


def rows_as_parquet(rows: Iterable[EpisodeRow]) -> Iterator[bytes]:
    """Yield the rows as Parquet. They go to a temporary file first, because Parquet's index comes last."""
    # The library takes a second and 60 MB to load, so only exports as Parquet import it.
    import pyarrow
    import pyarrow.parquet

    types = {int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_(), str: pyarrow.string()}
    hints = get_type_hints(EpisodeRow)
    schema = pyarrow.schema(
        [(name, next(types[kind] for kind in types if kind in _kinds(hint))) for name, hint in hints.items()]
    )
    remaining = iter(rows)
    with tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES) as file:
        with pyarrow.parquet.ParquetWriter(file, schema) as writer:
            while chunk := list(islice(remaining, CHUNK)):
                arrays = map(pyarrow.array, zip(*chunk, strict=True), schema.types)
                writer.write_batch(pyarrow.record_batch(list(arrays), schema=schema))
        file.seek(0)
        while part := file.read(PART_BYTES):
            yield part


ROWS = {"jsonl": rows_as_jsonl, "csv": rows_as_csv, "parquet": rows_as_parquet}


def rows_export(report: Report, kind: str, *, splits: Collection[str]) -> Iterator[bytes]:
    """Yield the report's episodes of the given splits, or of all splits if none are given, as a file.

    ``kind`` is one of ``ROWS``.
    """
    run_ids = [run.pk for run in report_runs(report.pk)]
    return ROWS[kind](_classified(report, episode_rows(run_ids, splits=splits)))


def _classified(report: Report, rows: Iterable[EpisodeRow]) -> Iterator[EpisodeRow]:
    """Yield the rows, with ``loss`` filled in for episodes that the report's last computation classified."""
    losses = (report.result or {}).get(LOSSES, {})
    classes = {episode: kind for kind, episodes in losses.items() for episode in episodes}
    return (row._replace(loss=classes[row.episode]) if row.episode in classes else row for row in rows)


def table_as_csv(table: Mapping[str, Any]) -> bytes:
    """Return a stored table as CSV; a number that could not be estimated is empty."""
    ids = [column["id"] for column in table["columns"]]
    lines = [ids, *([row.get(column) for column in ids] for row in table["rows"])]
    return b"".join(map(_line, lines))


def table_as_parquet(table: Mapping[str, Any]) -> bytes:
    """Return a stored table as Parquet; a number that could not be estimated is null."""
    import pyarrow
    import pyarrow.parquet

    columns = {
        column["id"]: pyarrow.array([row.get(column["id"]) for row in table["rows"]], _type_of(table, column))
        for column in table["columns"]
    }
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), buffer)
    return buffer.getvalue()


def _type_of(table: Mapping[str, Any], column: Mapping[str, str]) -> Any:
    import pyarrow

    if column["unit"] == COUNT:
        return pyarrow.int64()
    if column["unit"]:
        return pyarrow.float64()
    is_text = any(isinstance(row.get(column["id"]), str) for row in table["rows"])
    return pyarrow.string() if is_text else pyarrow.float64()


def _kinds(hint: Any) -> tuple[type, ...]:
    """Return the types that a field's type hint allows."""
    return getattr(hint, "__args__", (hint,))


def _line(values: Sequence[Any]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(map(escape_formula, values))
    return buffer.getvalue().encode("utf-8", "replace")
