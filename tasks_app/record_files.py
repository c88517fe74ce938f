"""Records of official files, one at a time: JSON lines, JSON objects and lists, CSV, TSV, Parquet.

The form of JSON is decided by a file's content, not by its name, because JSON lines are often called
``.json``.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from core.errors import GymError
from tasks_app.types import CELL_FILES, BadRow, BenchmarkPlugin, Record, Records, Row

LINES = (".jsonl", ".ndjson")
WRAPPERS = frozenset({"data", "dataset", "rows", "records", "items", "examples", "instances", "samples"}) | {
    *("questions", "problems", "train", "test", "validation", "dev", "val")
}
"""Keys under which copies store the list of their records; the hub's viewer nests each one under ``row``."""
PARQUET_BATCH_ROWS = 1_000
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DECODER = json.JSONDecoder()
_NOT_BLANK = re.compile(r"\S")
_NOT_FINITE = re.compile(rb"\b(?:NaN|Infinity)\b")
DIGITS = re.compile(r"(\d+)")

_Place = tuple[int, Any]


def source_files(path: Path) -> list[Path]:
    """List the files to read for ``--file``: the file itself, or all data files below a folder.

    They are in natural order, 2.json before 10.json. Raises ``GymError`` ``no_file`` or ``unknown_format``.
    """
    if path.is_dir():
        files = sorted((file for file in path.rglob("*") if file.suffix in READERS), key=_natural_order)
        if not files:
            raise GymError("no_file", f"The folder {path} contains no {', '.join(READERS)} file.")
        return files
    if not path.is_file():
        raise GymError("no_file", f"There is no file {path}.")
    if path.suffix not in READERS:
        raise GymError("unknown_format", f"{path.name} is not one of {', '.join(READERS)}.")
    return [path]


def records(files: Iterable[Path]) -> Records:
    """Yield every record of the files in order, with a ``BadRow`` for a line that cannot be read.

    The value of a CSV or TSV record is the list of its cells, and a line of column names is a record too (see
    ``with_header``). Keys are made from a record's number, which counts through all files of one format.
    Shards thus continue each other's numbers, and files of other formats change nothing.
    """
    numbers: Counter[str] = Counter()
    for file in files:
        for line, value in READERS[file.suffix](file):
            numbers[file.suffix] += 1
            yield value if isinstance(value, BadRow) else Record(file, line, numbers[file.suffix], value)


def with_header(rows: Iterable[Record | BadRow]) -> Records:
    """Name the cells of CSV and TSV records after the file's first line, which is dropped.

    Other records are unchanged.
    """
    names: list[str] = []
    file: Path | None = None
    headers: Counter[str] = Counter()
    for record in rows:
        if isinstance(record, BadRow) or record.file.suffix not in CELL_FILES:
            yield record
        elif record.file != file:
            file, names = record.file, [name.strip() for name in record.value]
            headers[file.suffix] += 1
        elif len(record.value) != len(names):
            problem = f"it has {len(record.value)} cells, but the first line names {len(names)} columns"
            yield BadRow(record.place, problem)
        else:
            value = dict(zip(names, record.value, strict=True))
            yield replace(record, number=record.number - headers[record.file.suffix], value=value)


def drafts(plugin: BenchmarkPlugin, files: Iterable[Path]) -> Iterator[Row]:
    """Yield a draft for each record, or a ``BadRow`` if it lacks official fields or is refused."""
    if plugin.draft_of is None:
        return
    prepare = plugin.records or with_header
    for record in prepare(records(files)):
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
    """Yield the line numbers and raw cells, with their escapes, of a TSV file's non-empty lines."""
    with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="\n") as stream:
        for number, line in enumerate(stream, start=1):
            if text := line.removesuffix("\n").removesuffix("\r"):
                yield number, text.split("\t")


def _natural_order(path: Path) -> list[tuple[int, str]]:
    parts = DIGITS.split(path.as_posix())
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def _json_file(file: Path) -> Iterator[_Place]:
    """Read JSON lines if the first non-blank line is a value and another line follows; else read one value.

    If the first line is invalid and the whole file is not one value either, the file's name decides.
    """
    start = [text for _, text in islice(_text_lines(file), 2)]
    if len(start) > 1 and not isinstance(_decoded(start[0], place=""), BadRow):
        return _json_lines(file)
    text = file.read_bytes().removeprefix(BYTE_ORDER_MARK)
    value = _decoded(text, place=f"{file.parent.name}/{file.name}:1")
    if not isinstance(value, BadRow):
        return iter(_elements(value))
    if file.suffix in LINES:
        return _json_lines(file)
    return _values(text) or iter([(1, value)])


def _values(text: bytes) -> Iterator[_Place] | None:
    """Parse consecutive multi-line objects, as ``jq`` writes them; return None for anything else."""
    values, at = list[_Place](), 0
    try:
        rest = text.decode().rstrip()
        while at < len(rest):
            start = _NOT_BLANK.search(rest, at)
            value, at = _DECODER.raw_decode(rest, start.start() if start else at)
            if not isinstance(value, dict):
                return None
            values.append((len(values) + 1, value))
    except (ValueError, RecursionError):
        return None
    return iter(values) if len(values) > 1 else None


def _elements(value: Any) -> Iterable[_Place]:
    """List the records in a JSON value, numbered from 1.

    They are the elements of a list, those of the only list under a key such as ``data``, or the value itself.
    """
    if isinstance(value, dict) and len(named := WRAPPERS & value.keys()) == 1:
        (wrapper,) = named
        items = value[wrapper]
        if isinstance(items, list) and all(isinstance(item, dict) for item in items):
            value = [item.get("row", item) for item in items]
    return enumerate(value, start=1) if isinstance(value, list) else [(1, value)]


def _json_lines(file: Path) -> Iterator[_Place]:
    return ((line, _decoded(text, place=f"{file.name}:{line}")) for line, text in _text_lines(file))


def _text_lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the non-blank lines with their line numbers."""
    with file.open("rb") as stream:
        for line, raw in enumerate(stream, start=1):
            text = raw.removeprefix(BYTE_ORDER_MARK) if line == 1 else raw
            if text.strip():
                yield line, text


def _csv(file: Path) -> Iterator[_Place]:
    # Bytes that are not UTF-8 become lone surrogates, which loading refuses as bad rows.
    with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as stream:
        first = stream.readline()
        stream.seek(0)
        # Spreadsheets write semicolons in many countries, and tabs when a table is copied.
        others = [mark for mark in ";\t" if mark in first and "," not in first]
        rows = csv.reader(stream, strict=True, delimiter=others[0] if len(others) == 1 else ",")
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
        if _NOT_FINITE.search(text):  # Python's own writer emits NaN and Infinity, which JSON lacks
            with suppress(ValueError, RecursionError):
                return json.loads(text)
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
    # Corrupt pages raise OSError, and corrupt text in them raises UnicodeDecodeError.
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        problem = f"{file.name} cannot be read as Parquet after its first {line:,} rows: {error}"
        raise GymError("unknown_format", problem) from None


READERS: dict[str, Callable[[Path], Iterator[_Place]]] = {
    **dict.fromkeys((*LINES, ".json"), _json_file),
    ".csv": _csv,
    ".tsv": tab_separated,
    ".parquet": _parquet,
}
