r"""WikiTableQuestions: questions about one table of Wikipedia (Pasupat and Liang 2015, arXiv:1508.00305).

Official files: ``data/<split>.tsv`` with ``id``, ``utterance``, ``context`` (the table's path) and
``targetValue`` (answers with ``|`` between); escapes are ``\n``, ``\p`` for a pipe and ``\\``.
``tagged/data/<split>.tagged`` adds ``targetCanon``, which marks numbers and dates; without it an
answer such as "17 years" is plain text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from core.errors import GymError
from tasks_app import kinds, record_files
from tasks_app.benchmarks import _wikitables
from tasks_app.benchmarks._wikitables import Table
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, BenchmarkPlugin, GoldDraft, HubSource, Record, Row, TaskDraft
from verifiers import denotations

TABLES_KEPT = 64
# Three typed answers, two added fields, one submission. The gold's own count would give it away.
LIST_STEPS = 6
RANDOM_SPLITS = range(1, 6)
SPLITS = (
    "training",
    "pristine-seen-tables",
    "pristine-unseen-tables",
    *(f"random-split-{n}-{part}" for n in RANDOM_SPLITS for part in ("train", "dev")),
)
HUB_FILES = {
    "training": ("random-split-1/train/*.parquet", "random-split-1/validation/*.parquet"),
    "pristine-unseen-tables": ("random-split-1/test/*.parquet",),
    **{f"random-split-{n}-train": (f"random-split-{n}/train/*.parquet",) for n in RANDOM_SPLITS},
    **{f"random-split-{n}-dev": (f"random-split-{n}/validation/*.parquet",) for n in RANDOM_SPLITS},
}


class OfficialRow(msgspec.Struct):
    id: str
    utterance: str
    context: str
    targetValue: str


class HubRow(msgspec.Struct):
    id: str
    question: str
    answers: list[str]
    table: Table


@dataclass(frozen=True)
class _Sources:
    """Readers of the files next to the questions; they cache the file read last."""

    table: Callable[[Path], Table]
    canonical: Callable[[Path], Mapping[str, str]]


def files(folder: Path, split: str) -> list[Path]:
    """The questions of a split: in the official tree, in its ``data`` folder, or in a copy of the hub's."""
    official = (folder / "data" / f"{split}.tsv", folder / f"{split}.tsv")
    paths = [file for file in official if file.is_file()][:1]
    paths = paths or [file for pattern in HUB_FILES.get(split, ()) for file in sorted(folder.glob(pattern))]
    if not paths:
        raise GymError("no_file", f"The folder {folder} holds neither data/{split}.tsv nor {split}.tsv.")
    return paths


def rows(records: Iterator[Record | BadRow]) -> Iterator[Row]:
    """One draft per question; the key is the official id."""
    sources = _Sources(lru_cache(TABLES_KEPT)(_wikitables.table_read), lru_cache(1)(_canonical_read))
    return record_files.drafts(record_files.with_header(records), lambda record: _draft_of(record, sources))


def _draft_of(record: Record, sources: _Sources) -> TaskDraft:
    if isinstance(record.value, dict) and "table" in record.value:
        return _hub_draft(msgspec.convert(record.value, HubRow), place=record.place)
    row = msgspec.convert(record.value, OfficialRow)
    table = sources.table(_wikitables.path_of(row.context, questions=record.file))
    return task_draft(
        key=row.id,
        question=_wikitables.unescaped(row.utterance),
        cell=row.targetValue,
        canonical=sources.canonical(record.file).get(row.id),
        table=msgspec.structs.replace(table, name=row.context),
        place=record.place,
    )


def _hub_draft(row: HubRow, *, place: str) -> TaskDraft:
    return task_draft(
        key=row.id,
        question=_wikitables.unescaped(row.question),
        cell="|".join(row.answers),
        table=_wikitables.table_unescaped(row.table),
        place=place,
    )


def _canonical_read(questions: Path) -> Mapping[str, str]:
    """``targetCanon`` by id, from the tagged file next to a file of questions; empty if there is none."""
    path = _wikitables.above(questions, f"tagged/data/{questions.stem}.tagged")
    if path is None:
        return {}
    lines = record_files.tab_separated(path)
    _, names = next(lines, (0, []))
    if not {"id", "targetCanon"} <= set(names):
        raise ValueError(f"{path.name} has no columns id and targetCanon")
    key, meaning = names.index("id"), names.index("targetCanon")
    return {cells[key]: cells[meaning] for _, cells in lines if len(cells) == len(names)}


def task_draft(
    *, key: str, question: str, cell: str, table: Table, canonical: str | None = None, place: str = ""
) -> TaskDraft:
    """``cell`` is a ``targetValue``. Raises ``ValueError`` for an empty text and an empty or uneven table."""
    text = question.strip()
    if not text:
        raise ValueError("the question is empty")
    _gold_check(cell, canonical)
    _wikitables.shape_check(table)
    return TaskDraft(
        key=key,
        kind=kinds.TABLE,
        payload={"text": text, "format": "plain", "table": {"header": table.header, "rows": table.rows}},
        gold=GoldDraft(answer=cell, extra={"canonical": canonical} if canonical else {}, source=place),
        tags=(table.tag,) if table.tag else (),
        oracle_steps=LIST_STEPS,
        place=place,
    )


def _gold_check(cell: str, canonical: str | None) -> None:
    items = denotations.items_of(cell)
    if not all(item.strip() for item in items):
        raise ValueError("an answer is empty")
    if canonical and len(denotations.items_of(canonical)) != len(items):
        raise ValueError("targetCanon has another number of answers than targetValue")


LIGHTHOUSES = Table(
    ["Lighthouse", "First lit", "Height", "Keeper"],
    [
        ["Aldan Head", "1841", "31 m", "Ines Roth"],
        ["Brack Rock", "1902", "44 m", ""],
        ["Cormorant Bank", "1867", "27 m", "Per Lund"],
        ["Dunmarra", "1902", "19 m", "Ines Roth"],
        ["East Skerry", "1888", "52 m", "Tomas Vey"],
    ],
)
REGATTA = Table(
    ["Place", "Boat", "Harbour", "Time", "Crew"],
    [
        ["1", "Halcyon", "Vigo", "3:12:08", "4"],
        ["2", "Petrel", "Brest", "3:14:55", "5"],
        ["3", "Saltwind", "Vigo", "3:15:01", "4"],
        ["4", "Morgan\u2019s Luck", "Cork", "3:31:40", "6"],
        ["\u2014", "Ariel", "Brest", "did not finish", "5"],
    ],
)

SAMPLES = (
    task_draft(
        key="starter-1",
        question="which lighthouse was the first to be lit after aldan head?",
        cell="Cormorant Bank",
        table=LIGHTHOUSES,
    ),
    task_draft(
        key="starter-2", question="which harbours sent more than one boat?", cell="Vigo|Brest", table=REGATTA
    ),
    task_draft(
        key="starter-3",
        question="how many metres taller is the tallest lighthouse than the one that has no keeper listed?",
        cell="8 m",
        canonical="8.0",
        table=LIGHTHOUSES,
    ),
    task_draft(
        key="starter-4",
        question="how many sailors were on the boats that finished?",
        cell="19",
        canonical="19.0",
        table=REGATTA,
    ),
)

benchmarks.register(
    "wikitable",
    BenchmarkPlugin(
        id="wikitable",
        title="WikiTableQuestions: questions about tables",
        kind=kinds.TABLE,
        license="CC BY-SA 4.0",
        source="https://github.com/ppasupat/WikiTableQuestions",
        verifier_official="denotation-v1",
        verifier_training="denotation-v1",
        splits=SPLITS,
        rows=rows,
        files=files,
        folder="wikitablequestions",
        answer_extra=("canonical",),
        example_split="training",
        samples=SAMPLES,
        hub=HubSource(repo="stanfordnlp/wikitablequestions@refs/convert/parquet", files=HUB_FILES),
    ),
)
