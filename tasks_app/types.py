"""What a benchmark plug-in gives: tasks with their golds, rows that cannot be read, facts about the set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tasks_app import kinds

TYPE_AND_SUBMIT_STEPS = 2


@dataclass(frozen=True, kw_only=True)
class GoldDraft:
    """A reference answer as its source gives it. ``extra`` holds what verifiers need besides the answer."""

    answer: str
    accepted: tuple[str, ...] = ()
    solution: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class PictureDraft:
    """A picture as its source gives it: bytes that nobody has looked at, or how to get them."""

    data: bytes | Callable[[], bytes]

    def read(self) -> bytes:
        return self.data if isinstance(self.data, bytes) else self.data()


@dataclass(frozen=True, kw_only=True)
class TaskDraft:
    """One task before it has an id.

    ``prompt`` is the question as text; left empty it is what the question kind makes of the payload. Loading
    stores ``pictures`` and puts what it knows of them into the payload's ``pictures``, in their order.
    ``split`` is None when the source does not say it; ``difficulty`` is 0 to 1, or None when unknown;
    ``place`` is where it was read, for messages.
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


@dataclass(frozen=True)
class BadRow:
    """A row that was skipped: where it is (``file:line``) and what is wrong with it."""

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


Row = TaskDraft | BadRow
Records = Iterator[Record | BadRow]


@dataclass(frozen=True, kw_only=True)
class HubSource:
    """Where a benchmark is on the Hugging Face hub: the dataset's id, and per split the files' patterns.

    The id may end in ``@`` and a revision. ``repos`` names the dataset of each split that is in another one.
    """

    repo: str
    files: Mapping[str, Sequence[str]]
    repos: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Enrichment:
    """What golds get at loading because it takes long to find out: ``keys`` of their ``extra``.

    ``what`` names it to people. ``compute`` gives the new keys; it raises ``ValueError`` for a row that must
    not be loaded, and ``GymError`` when this machine cannot compute it: rows then come without it.
    ``tags`` are those that follow from the keys.
    """

    what: str
    keys: tuple[str, ...]
    compute: Callable[[TaskDraft], Mapping[str, Any]]
    tags: Callable[[Mapping[str, Any]], tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class BenchmarkPlugin:
    """A benchmark: facts about it, and the reader of its official rows, which its starter tasks prove.

    ``draft_of`` turns a record into a task, without ``place`` and the gold's ``source``; it raises
    ``ValueError`` for one that it refuses. ``records`` arranges them first, for instance by the names of
    columns. A generated benchmark has ``generate(count, seed, split)`` instead, and makes its own
    ``starters``; ``has_guess_rates`` says that its drafts come with them.
    ``splits`` are the official names; the first one is the default. ``files`` finds the questions of
    a split in a folder that holds other data files too.

    Solved examples come from ``example_split`` (left out: ``train``, where there is one), of another
    benchmark when ``example_benchmark`` names it. ``example_tag`` begins the tag of an item's family, which
    they share. ``folder`` is what the official folder is called, where it is not the id. ``answer_extra`` are
    keys of a gold's ``extra`` that say what its answer means: a corrected answer does without them.
    """

    id: str
    title: str
    kind: str
    license: str
    source: str
    verifier_official: str
    verifier_training: str
    splits: tuple[str, ...]
    draft_of: Callable[[Record], TaskDraft] | None = None
    records: Callable[[Records], Records] = iter
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
