"""Writers of row files as JSON lines, CSV tables and Parquet. The same rows always give the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import IO, Any, Protocol

import msgspec

from core.text.csv import encode_csv
from trajectories.exports.types import ColumnType, Row

GROUP_ROWS = 500
CONTENT_TYPES = {
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
    "json": "application/json",
}


class Writer(Protocol):
    """A writer of rows to a file, which may write them in groups and is complete only after ``close``."""

    def add(self, row: Row) -> None: ...

    def close(self) -> None: ...


class JsonLines:
    """A writer of JSON lines: one object per row, with the columns in their order."""

    def __init__(self, file: IO[bytes], columns: Mapping[str, ColumnType], *, has_images: bool) -> None:
        self._file, self._names = file, list(columns)

    def add(self, row: Row) -> None:
        self._file.write(msgspec.json.encode({name: row.get(name) for name in self._names}) + b"\n")

    def close(self) -> None:
        pass


class Csv:
    """A writer of CSV tables: a line with the column names, then a line of plain values per row."""

    def __init__(self, file: IO[bytes], names: Sequence[str]) -> None:
        self._file, self._names = file, names
        file.write(encode_csv([names]))

    def add(self, row: Row) -> None:
        self._file.write(encode_csv([[row[name] for name in self._names]]))

    def close(self) -> None:
        pass


class Parquet:
    """A writer of Parquet files in groups of ``GROUP_ROWS`` rows.

    Values of the type ``json`` become texts.
    """

    def __init__(self, file: IO[bytes], columns: Mapping[str, ColumnType], *, has_images: bool) -> None:
        import pyarrow.parquet

        types = {name: _arrow_type(kind, has_images=has_images) for name, kind in columns.items()}
        self._columns = columns
        self._schema = pyarrow.schema(list(types.items()))
        self._writer = pyarrow.parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._rows: list[Row] = []

    def add(self, row: Row) -> None:
        self._rows.append({name: _cell(row.get(name), kind) for name, kind in self._columns.items()})
        if len(self._rows) >= GROUP_ROWS:
            self._write()

    def close(self) -> None:
        self._write()
        self._writer.close()

    def _write(self) -> None:
        import pyarrow

        if self._rows:
            self._writer.write_batch(pyarrow.RecordBatch.from_pylist(self._rows, schema=self._schema))
            self._rows = []


FORMATS: dict[str, type[JsonLines] | type[Parquet]] = {"jsonl": JsonLines, "parquet": Parquet}


def _cell(value: Any, kind: ColumnType) -> Any:
    if kind == "json" and value is not None:
        return msgspec.json.encode(value).decode()
    if kind == "messages" and value is not None:
        return [_message(one) for one in value]
    return value


def _message(message: Mapping[str, Any]) -> Row:
    """Return the message with the fields ``type`` and ``text`` in every part; a picture's text is null."""
    content = message["content"]
    if not isinstance(content, str) and content is not None:
        content = [{"type": part["type"], "text": part.get("text")} for part in content]
    return {**message, "content": content}


def _arrow_type(kind: ColumnType, *, has_images: bool) -> Any:
    import pyarrow as arrow

    text = arrow.string()
    part = arrow.struct([("type", text), ("text", text)])
    function = arrow.struct([("name", text), ("arguments", text)])
    call = arrow.struct([("id", text), ("type", text), ("function", function)])
    message: Sequence[tuple[str, Any]] = [
        ("role", text),
        ("content", arrow.list_(part) if has_images else text),
        ("tool_calls", arrow.list_(call)),
        ("tool_call_id", text),
    ]
    return {
        "integer": arrow.int64(),
        "number": arrow.float64(),
        "text": text,
        "truth": arrow.bool_(),
        "json": text,
        "messages": arrow.list_(arrow.struct(message)),
        "images": arrow.list_(text),
    }[kind]
