"""Readers of label files, which yield one row at a time."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import IO, Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from core.database.integers import INT_MAX
from core.errors import GymError
from core.text.csv import unescape_formula
from core.text.json import has_nul
from palaestra.protocol.suggestions import did_you_mean
from trajectories.annotation.codebook.types import Field
from trajectories.annotation.columns import Number, UnitPlace
from trajectories.annotation.export_kinds.labels import BETWEEN
from trajectories.annotation.labels.answers import NOTE_CHARS, STEP_MAX

STEP_NUMBER = re.compile("[0-9]{1,9}")
LINE_MAX_BYTES = 1024 * 1024
# No codebook has this many fields, and no field this many answers.
ANSWERS_MAX = 100
NAME_CHARS = 100
NUL = "A text contains the character NUL, which cannot be stored. Delete it."
Name = Annotated[str, Meta(max_length=NAME_CHARS)]
AT_MOST = Meta(max_length=ANSWERS_MAX)
Spans = list[tuple[Number, Number]]


class Row(UnitPlace, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One label as a file has it.

    ``stratum``, ``weight`` and ``is_gold`` are accepted but ignored, since the project determines them.
    """

    begin: Number | None = None
    end: Number | None = None
    stratum: Annotated[str, Meta(max_length=200)] = ""
    weight: float | None = None
    annotator: Annotated[str, Meta(max_length=200)] = ""
    annotator_kind: Literal["person", "rules", "model"] = "person"
    layer: Literal["blind", "adjudicated"] = "blind"
    view: Literal["full", "thought", "page"] = "full"
    is_repeat: bool = False
    is_gold: bool = False
    is_swapped: bool = False
    version: Annotated[int, Meta(ge=1, le=INT_MAX)] = 1
    codebook: Annotated[str, Meta(max_length=64)] = ""
    state: Literal["done", "skipped"] = "done"
    is_unsure: bool = False
    reason: Annotated[str, Meta(max_length=32)] = ""
    active_ms: Number | None = None
    created_at: Annotated[datetime, Meta(tz=True)] | None = None
    note: Annotated[str, Meta(max_length=NOTE_CHARS)] = ""
    values: Annotated[dict[Name, Name | Number | Annotated[list[Name], AT_MOST]], AT_MOST] = {}
    spans: Spans = []
    links: Annotated[dict[Name, Annotated[int, Meta(ge=1, le=STEP_MAX)]], AT_MOST] = {}
    key: UUID | None = None


# A line's number, with its row or a message that describes what is wrong with it.
Line = tuple[int, Row | str]
Reader = Callable[[IO[bytes], Mapping[str, Field]], Iterator[Line]]


def jsonl_lines(file: IO[bytes], fields: Mapping[str, Field]) -> Iterator[Line]:
    """Yield the row of each line of JSON, skipping empty lines. Raises ``GymError`` ``line_too_long``."""
    decoder = msgspec.json.Decoder(Row)
    number = 0
    while line := file.readline(LINE_MAX_BYTES + 1):
        number += 1
        if len(line) > LINE_MAX_BYTES:
            # Reading on would take the rest of this line for further lines.
            raise GymError("line_too_long", f"Line {number} has more than {LINE_MAX_BYTES:,} bytes.")
        if not line.strip():
            continue
        if has_nul(line):
            yield number, NUL
            continue
        try:
            yield number, decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            yield number, f"{error}."


def csv_lines(file: IO[bytes], fields: Mapping[str, Field]) -> Iterator[Line]:
    """Yield the rows of a CSV table, whose columns may be in any order.

    ``fields`` are the codebook's. Raises ``GymError`` if the file is not a table or has an unknown column.
    """
    pieces = _Pieces(file)
    table = csv.reader(pieces, strict=True)
    try:
        names = next(table, [])
        pieces.next_row()
        _columns_check(names, fields)
        for cells in table:
            pieces.next_row()
            if cells:
                has_one = any("\0" in cell for cell in cells)
                yield table.line_num, NUL if has_one else _cells_read(names, cells, fields)
    except (csv.Error, UnicodeDecodeError) as error:
        raise GymError("not_a_table", f"After line {table.line_num}: not CSV in UTF-8 ({error}).") from error


class _Pieces:
    """The lines of a table. A row with quoted line breaks has several; ``LINE_MAX_BYTES`` limits the row."""

    def __init__(self, file: IO[bytes]) -> None:
        self._text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        self._line = 0
        self._left = LINE_MAX_BYTES

    def next_row(self) -> None:
        self._left = LINE_MAX_BYTES

    def __iter__(self) -> Iterator[str]:
        while piece := self._text.readline(self._left + 1):
            self._line += 1
            self._left -= len(piece)
            if self._left < 0:
                place = f"The row that contains line {self._line}"
                message = f"{place} is longer than {LINE_MAX_BYTES:,} characters. Is a quote left open?"
                raise GymError("line_too_long", message)
            yield piece


def _columns_check(names: list[str], fields: Mapping[str, Field]) -> None:
    known = {*Row.__struct_fields__, *fields} - {"values"}
    if any("\0" in name for name in names):
        raise GymError("not_a_table", f"Line 1: {NUL}")
    for name in names:
        if name not in known:
            message = (
                f"The column “{name[:NAME_CHARS]}” is neither a column of an export nor a field of this "
                "project's codebook. "
                f"{did_you_mean(name, known)} Rename or delete it."
            )
            raise GymError("unknown_column", message)
    for name in ("episode", "step"):
        if name not in names:
            raise GymError("missing_column", f"The first line does not name the column “{name}”.")
    if len(set(names)) < len(names):
        raise GymError("column_twice", "The first line names a column twice.")


def _cells_read(names: list[str], cells: list[str], fields: Mapping[str, Field]) -> Row | str:
    if len(cells) != len(names):
        return f"{len(cells)} cells for {len(names)} columns."
    content: dict[str, Any] = {"values": {}}
    try:
        for name, cell in zip(names, map(unescape_formula, cells), strict=True):
            if not cell:
                continue
            if name in fields:
                content["values"][name] = _answer(cell, fields[name])
            elif name in ("spans", "links"):
                content[name] = _spans(cell) if name == "spans" else _links(cell)
            else:
                content[name] = cell
        values = content.pop("values")
        return msgspec.structs.replace(msgspec.convert(content, Row, strict=False), values=values)
    except (ValueError, msgspec.ValidationError) as error:
        return f"{error}."


def _answer(cell: str, field: Field) -> str | int | list[str]:
    if field.is_set:
        if cell.count(BETWEEN) >= ANSWERS_MAX:
            raise ValueError(f"The field “{field.id}” has more than {ANSWERS_MAX} answers")
        return cell.split(BETWEEN)
    return int(cell) if field.step_option and STEP_NUMBER.fullmatch(cell) else cell


def _spans(cell: str) -> list[list[str]]:
    places = [part.split("-") for part in cell.split(BETWEEN)]
    if any(len(place) != 2 for place in places):
        raise ValueError("Spans are written as 0-12;40-55")
    return places


def _links(cell: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in cell.split(BETWEEN)]
    if not all(sign for _, sign, _ in pairs):
        raise ValueError("Links are written as plan=7;verify=9")
    return {name: step for name, _, step in pairs}
