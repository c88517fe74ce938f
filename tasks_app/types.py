"""Benchmark plug-ins: tasks with their golds, unreadable rows, facts about the set."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from tasks_app import kinds

TYPE_AND_SUBMIT_STEPS = 2
UNANSWERABLE = "unanswerable"
"""The tag of tasks that nobody can solve, since their source lost a part of them."""
CELL_FILES = (".csv", ".tsv")

Fields = TypeVar("Fields", bound=msgspec.Struct)


@dataclass(frozen=True, kw_only=True)
class GoldDraft:
    """A reference answer as its source has it. ``extra`` holds what verifiers need besides the answer."""

    answer: str
    accepted: tuple[str, ...] = ()
    solution: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class PictureDraft:
    """A picture as its source has it: unchecked bytes, or a function that reads them."""

    data: bytes | Callable[[], bytes]

    def read(self) -> bytes:
        return self.data if isinstance(self.data, bytes) else self.data()


@dataclass(frozen=True, kw_only=True)
class TaskDraft:
    """One task before it has an id.

    ``prompt`` is the question as text; if empty, loading lets the question kind make it from the payload.
    Loading stores ``pictures`` and describes them in the payload's ``pictures``, in their order.
    ``split`` is None if the source does not name it; ``difficulty`` is 0 to 1, or None if unknown;
    ``place`` is where the task was read, for messages.
    """

    key: str
    payload: Mapping[str, Any]
    gold: GoldDraft
    prompt: str = ""
    pictures: tuple[PictureDraft, ...] = ()
    kind: str = kinds.FREE_ANSWER
    split: str | None = None
    difficulty: float | None = None
    tags: tuple[str, ...] = ()
    guess_rate: float = 0.0
    oracle_steps: int = TYPE_AND_SUBMIT_STEPS
    gap_reason: str = ""
    place: str = ""

    @property
    def gap_eligible(self) -> bool:
        return not self.gap_reason

    def unanswerable(self, reason: str) -> TaskDraft:
        """Return the draft of a task that is in no gap, and given only to those who name it."""
        return replace(self, tags=(*self.tags, UNANSWERABLE), gap_reason=reason)


@dataclass(frozen=True)
class BadRow:
    """A skipped row: where it is (``file:line``) and what is wrong with it."""

    place: str
    problem: str

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"


@dataclass(frozen=True)
class Record:
    """One record of an official file. ``number`` counts from 1 through all files that are read together."""

    file: Path
    line: int
    number: int
    value: Any

    @property
    def place(self) -> str:
        return f"{self.file.name}:{self.line}"

    def read(self, kind: type[Fields]) -> Fields:
        """Return the record as one of ``kind``. Raises ``msgspec.ValidationError``.

        A cell of a CSV or TSV file is text: a list in it is read as JSON or, as pandas writes it, as Python.
        Columns may be written with other capitals than their fields.
        """
        if self.file.suffix not in CELL_FILES or not isinstance(self.value, dict):
            return msgspec.convert(self.value, kind)
        fields = {field.encode_name.casefold(): field for field in msgspec.structs.fields(kind)}
        cells: dict[str, Any] = {}
        for name, cell in self.value.items():
            field = fields.get(name.casefold())
            if field is not None and (cell or field.required):
                cells[field.encode_name] = _cell(cell, of=field.type)
        return msgspec.convert(cells, kind, strict=False)


def _cell(text: str, *, of: Any) -> Any:
    if of is str or not text.lstrip().startswith(("[", "{")):
        return text
    for parse in (msgspec.json.decode, ast.literal_eval):
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            return parse(text)
    return text


Row = TaskDraft | BadRow
Records = Iterator[Record | BadRow]


@dataclass(frozen=True, kw_only=True)
class HubSource:
    """A benchmark's source on the Hugging Face hub: the dataset's id, and the patterns of each split's files.

    The id may end in ``@`` and a revision. ``repos`` names the dataset of each split that has another one.
    """

    repo: str
    files: Mapping[str, Sequence[str]]
    repos: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Enrichment:
    """Addition to golds at loading that is slow to compute: ``keys`` of their ``extra``.

    ``what`` is its name for people. ``compute`` returns the new keys; it raises ``ValueError`` for a row that
    must not be loaded, and ``GymError`` if this machine cannot compute them: rows are then loaded without.
    ``tags`` returns the tags that follow from the keys.
    """

    what: str
    keys: tuple[str, ...]
    compute: Callable[[TaskDraft], Mapping[str, Any]]
    tags: Callable[[Mapping[str, Any]], tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class BenchmarkPlugin:
    """A benchmark: facts about it, and the reader of its official rows, which its starter tasks prove.

    ``draft_of`` turns a record into a task; it leaves ``place`` and the gold's ``source`` to the caller and
    raises ``ValueError`` for a record that it refuses. ``verifier_training`` is the official one by default.
    ``records`` prepares the records first; by default
    the first line of a CSV or TSV file names the columns. A generated benchmark has
    ``generate(count, seed, split)`` and its own ``starters`` instead; ``has_guess_rates`` says that its
    drafts bring their guess rates. ``splits`` are the official names; the first one is the default. ``files``
    finds the questions of a split in a folder that holds other data files too.

    Few-shot examples come from ``example_split`` (by default ``train``, if there is one), of another
    benchmark if ``example_benchmark`` names one. ``example_tag`` is the prefix of the tag that an item shares
    with its family. ``folder`` is the name of the official folder if it is not the id. ``answer_extra`` lists
    keys of a gold's ``extra`` that interpret its answer: a corrected answer does without them. ``cut`` cuts a
    reference solution into steps, which joined give it back; None for a benchmark without solutions.
    """

    id: str
    title: str
    kind: str
    license: str
    source: str
    verifier_official: str
    splits: tuple[str, ...]
    verifier_training: str = ""
    draft_of: Callable[[Record], TaskDraft] | None = None
    records: Callable[[Records], Records] | None = None
    starters: Callable[[], Iterable[TaskDraft]] | None = None
    generate: Callable[[int, int, str], Iterator[Row]] | None = None
    has_guess_rates: bool = False
    files: Callable[[Path, str], list[Path]] | None = None
    hub: HubSource | None = None
    example_split: str | None = None
    example_tag: str = ""
    example_benchmark: str = ""
    folder: str = ""
    enrichment: Enrichment | None = None
    answer_extra: tuple[str, ...] = ()
    cut: Callable[[str], list[str]] | None = None
