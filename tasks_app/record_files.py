"""Records of official files, one at a time: JSON lines, JSON objects and lists, CSV, TSV, Parquet."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from core.errors import GymError
from tasks_app.types import BadRow, BenchmarkPlugin, Record, Records, Row

NAMED_BY_FIRST_LINE = (".csv", ".tsv")
PARQUET_BATCH_ROWS = 1_000
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
DIGITS = re.compile(r"(\d+)")

_Place = tuple[int, Any]


def source_files(path: Path) -> list[Path]:
    """The files to read for ``--file``: itself, or all data files below a folder, 2.json before 10.json.

    Raises ``GymError`` ``no_file`` or ``unknown_format``.
    """
    if path.is_dir():
        files = sorted((file for file in path.rglob("*") if file.suffix in READERS), key=_natural_order)
        if not files:
            raise GymError("no_file", f"The folder {path} holds no {', '.join(READERS)} file.")
        return files
    if not path.is_file():
        raise GymError("no_file", f"There is no file {path}.")
    if path.suffix not in READERS:
        raise GymError("unknown_format", f"{path.name} is none of {', '.join(READERS)}.")
    return [path]


def records(files: Iterable[Path]) -> Records:
    """Every record of the files in order; a line that cannot be read comes as a ``BadRow``.

    The value of a CSV or TSV record is the list of its cells, a line of column names included: see
    ``with_header``. Keys are made of a record's number, which counts through all files of
    one format: shards follow each other, and files of other formats change nothing.
    """
    numbers: Counter[str] = Counter()
    for file in files:
        for line, value in READERS[file.suffix](file):
            numbers[file.suffix] += 1
            yield value if isinstance(value, BadRow) else Record(file, line, numbers[file.suffix], value)


def with_header(rows: Iterable[Record | BadRow]) -> Records:
    """CSV and TSV records as objects, named by the first line of their file; other records as they are."""
    names: list[str] = []
    file: Path | None = None
    for record in rows:
        if isinstance(record, BadRow) or record.file.suffix not in NAMED_BY_FIRST_LINE:
            yield record
        elif record.file != file:
            file, names = record.file, [name.strip() for name in record.value]
        elif len(record.value) != len(names):
            problem = f"it has {len(record.value)} cells; the first line names {len(names)} columns"
            yield BadRow(record.place, problem)
        else:
            yield replace(record, value=dict(zip(names, record.value, strict=True)))


def drafts(plugin: BenchmarkPlugin, files: Iterable[Path]) -> Iterator[Row]:
    """A draft of every record of a benchmark's files. One without the official fields, or that the benchmark
    refuses with a ``ValueError``, comes as a ``BadRow``.
    """
    if plugin.draft_of is None:
        return
    for record in plugin.records(records(files)):
        if isinstance(record, BadRow):
            yield record
            continue
        try:
            draft = plugin.draft_of(record)
        except (msgspec.ValidationError, ValueError) as error:
            yield BadRow(record.place, str(error))
        else:
            yield replace(draft, place=record.place, gold=replace(draft.gold, source=record.place))


def tab_separated(file: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines of a TSV file that are not empty: their numbers and raw cells, escapes included."""
    with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="\n") as stream:
        for number, line in enumerate(stream, start=1):
            if text := line.removesuffix("\n").removesuffix("\r"):
                yield number, text.split("\t")


def _natural_order(path: Path) -> list[tuple[int, str]]:
    parts = DIGITS.split(path.as_posix())
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def _json_lines(file: Path) -> Iterator[_Place]:
    with file.open("rb") as stream:
        for line, raw in enumerate(stream, start=1):
            text = raw.removeprefix(BYTE_ORDER_MARK) if line == 1 else raw
            if text.strip():
                yield line, _decoded(text, place=f"{file.name}:{line}")


def _json_file(file: Path) -> Iterator[_Place]:
    """A list at the top is a record per element, its ``line`` the element's number; else the file is one."""
    text = file.read_bytes().removeprefix(BYTE_ORDER_MARK)
    value = _decoded(text, place=f"{file.parent.name}/{file.name}:1")
    if isinstance(value, list):
        yield from enumerate(value, start=1)
    else:
        yield 1, value


def _csv(file: Path) -> Iterator[_Place]:
    # Bytes that are not UTF-8 become half characters, which loading refuses as bad rows.
    with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as stream:
        rows = csv.reader(stream, strict=True)
        while True:
            line = rows.line_num + 1
            try:
                cells = next(rows, None)
            except csv.Error as error:
                yield line, BadRow(f"{file.name}:{line}", f"not valid CSV: {error}")
                continue
            if cells is None:
                return
            if cells:
                yield line, cells


def _decoded(text: bytes, *, place: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return BadRow(place, f"not valid JSON: {error}")


def _parquet(file: Path) -> Iterator[_Place]:
    import pyarrow
    from pyarrow import parquet

    line = 0
    try:
        with parquet.ParquetFile(file) as table:
            for batch in table.iter_batches(PARQUET_BATCH_ROWS):
                for value in batch.to_pylist():
                    line += 1
                    yield line, value
    # Broken pages raise OSError, broken text inside them UnicodeDecodeError.
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        problem = f"{file.name} cannot be read as Parquet after its first {line:,} rows: {error}"
        raise GymError("unknown_format", problem) from None


READERS: dict[str, Callable[[Path], Iterator[_Place]]] = {
    ".jsonl": _json_lines,
    ".json": _json_file,
    ".csv": _csv,
    ".tsv": tab_separated,
    ".parquet": _parquet,
}
