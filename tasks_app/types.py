"""Types of benchmark plug-ins: tasks with their golds, bad rows, and facts about the benchmark."""

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
"""Tag of tasks that nobody can solve because their source lost a part of them."""
CELL_FILES = (".csv", ".tsv")

Fields = TypeVar("Fields", bound=msgspec.Struct)


@dataclass(frozen=True, kw_only=True)
class GoldDraft:
    """A reference answer as given by its source. ``extra`` holds what verifiers need besides the answer."""

    answer: str
    accepted: tuple[str, ...] = ()
    solution: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class PictureDraft:
    """A picture as given by its source: unchecked bytes, or a function that reads them."""

    data: bytes | Callable[[], bytes]

    def read(self) -> bytes:
        return self.data if isinstance(self.data, bytes) else self.data()


@dataclass(frozen=True, kw_only=True)
class TaskDraft:
    """One task before it has an id.

    ``prompt`` is the question as text; if it is empty, loading has the question kind derive it from the
    payload. Loading stores ``pictures`` and describes them, in order, in the payload's ``pictures``.
    ``split`` is None if the source does not name it. ``difficulty`` is from 0 to 1, or None if unknown.
    ``place`` says in messages where the task was read.
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
        """Return the draft tagged as unanswerable, which only callers who name it receive.

        It counts in no gap, for the given reason.
        """
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
    """One record of an official file. ``number`` counts from 1 across all files that are read together."""

    file: Path
    line: int
    number: int
    value: Any

    @property
    def place(self) -> str:
        return f"{self.file.name}:{self.line}"

    def read(self, kind: type[Fields]) -> Fields:
        """Convert the record to ``kind``. Raises ``msgspec.ValidationError``.

        The cells of a CSV or TSV file are text; a list in a cell is read as JSON or, as pandas writes it, as
        Python. Columns match fields regardless of capital letters.
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
    """A benchmark's source on the Hugging Face hub: the dataset's id and the file patterns of each split.

    The id may end in ``@`` and a revision. ``repos`` names the datasets of splits that have a different one.
    """

    repo: str
    files: Mapping[str, Sequence[str]]
    repos: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Enrichment:
    """Slow additions that loading makes to golds: ``keys`` of their ``extra``.

    ``what`` is the addition's name for people. ``compute`` returns the new keys. It raises ``ValueError`` for
    a row that must not be loaded, and ``GymError`` if this machine cannot compute them, in which case rows
    are loaded without. ``tags`` returns the tags that follow from the keys.
    """

    what: str
    keys: tuple[str, ...]
    compute: Callable[[TaskDraft], Mapping[str, Any]]
    tags: Callable[[Mapping[str, Any]], tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class BenchmarkPlugin:
    """A benchmark: facts about it and the reader of its official rows, which its starter tasks prove.

    ``draft_of`` turns a record into a task, leaves ``place`` and the gold's ``source`` to the caller, and
    raises ``ValueError`` for a record that it refuses. ``records`` prepares the records first; by default,
    the first line of a CSV or TSV file names the columns. ``files`` finds a split's questions in a folder
    that holds other data files too. ``splits`` are the official names, the first of which is the default.
    ``verifier_training`` defaults to the official verifier. A generated benchmark instead has
    ``generate(count, seed, split)`` and its own ``starters``; ``has_guess_rates`` is true if its drafts come
    with guess rates.

    Few-shot examples come from ``example_split`` (default: ``train``, if it exists) of this benchmark or of
    ``example_benchmark``. ``example_tag`` is the prefix of the tag that an item shares with its family.
    ``folder`` is the official folder's name if it differs from the id. ``answer_extra`` lists keys of a
    gold's ``extra`` that interpret its answer, which a corrected answer drops. ``cut`` cuts a reference
    solution into steps that, joined, give it again; it is None for a benchmark without solutions.
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
