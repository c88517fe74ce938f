r"""WikiTableQuestions: questions about one Wikipedia table (Pasupat and Liang 2015, arXiv:1508.00305).

The official files are ``data/<split>.tsv`` with ``id``, ``utterance``, ``context`` (the table's path) and
``targetValue`` (answers separated by ``|``); escapes are ``\n``, ``\p`` for a pipe, and ``\\``.
``tagged/data/<split>.tagged`` adds ``targetCanon``, which marks numbers and dates; without it, an answer such
as "17 years" is plain text.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import msgspec

from core.errors import GymError
from tasks_app import kinds, record_files
from tasks_app.benchmarks import _wikitables
from tasks_app.benchmarks._wikitables import Table
from tasks_app.registry import benchmark_register
from tasks_app.types import BenchmarkPlugin, GoldDraft, HubSource, Record, Records, TaskDraft
from verifiers import denotations

# Three typed answers, two added fields and one submission for every task, since a count that depended on the
# gold would reveal how many answers it has.
LIST_STEPS = 6
LOST_REASON = "it asks for a country that the page showed as a flag, which the file has lost"
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


def files(folder: Path, split: str) -> list[Path]:
    """List a split's question files from the official tree or the hub. Raises ``GymError`` ``no_file``."""
    official = (folder / "data" / f"{split}.tsv", folder / f"{split}.tsv")
    paths = [file for file in official if file.is_file()][:1]
    paths = paths or [file for pattern in HUB_FILES.get(split, ()) for file in sorted(folder.glob(pattern))]
    if not paths:
        raise GymError("no_file", f"The folder {folder} contains neither data/{split}.tsv nor {split}.tsv.")
    return paths


def records(rows: Records) -> Records:
    """Name the columns by the first line.

    Clear the caches, since other files may have changed since the last load.
    """
    _wikitables.table_read.cache_clear()
    _canonical_read.cache_clear()
    return record_files.with_header(rows)


def draft_of(record: Record) -> TaskDraft:
    """Build a draft with the official id as key. Raises ``ValueError`` for an empty string or a bad table."""
    if isinstance(record.value, dict) and "table" in record.value:
        hub_row = record.read(HubRow)
        table = _wikitables.unescape_table(hub_row.table)
        return _draft(hub_row.id, hub_row.question, cell="|".join(hub_row.answers), table=table)
    row = record.read(OfficialRow)
    table = _wikitables.table_read(_wikitables.find_table(row.context, questions=record.file))
    table = msgspec.structs.replace(table, name=row.context)
    meaning = _canonical_read(record.file).get(row.id)
    return _draft(row.id, row.utterance, cell=row.targetValue, table=table, canonical=meaning)


@lru_cache(1)
def _canonical_read(questions: Path) -> Mapping[str, str]:
    """Map ids to ``targetCanon`` from the matching tagged file; empty if there is none."""
    path = _wikitables.above(questions, f"tagged/data/{questions.stem}.tagged")
    if path is None:
        return {}
    lines = record_files.tab_separated(path)
    _, names = next(lines, (0, []))
    if not {"id", "targetCanon"} <= set(names):
        raise ValueError(f"{path.name} has no columns id and targetCanon")
    key, meaning = names.index("id"), names.index("targetCanon")
    return {cells[key]: cells[meaning] for _, cells in lines if len(cells) == len(names)}


def _draft(key: str, question: str, *, cell: str, table: Table, canonical: str | None = None) -> TaskDraft:
    """Build a draft; ``cell`` is the row's ``targetValue``."""
    text = _wikitables.unescape(question).strip()
    if not text:
        raise ValueError("the question is empty")
    _gold_check(cell, canonical)
    _wikitables.shape_check(table)
    draft = TaskDraft(
        key=key,
        kind=kinds.TABLE,
        payload={"text": text, "format": "plain", "table": {"header": table.header, "rows": table.rows}},
        gold=GoldDraft(answer=cell, extra={"canonical": canonical} if canonical else {}),
        tags=(table.tag,) if table.tag else (),
        oracle_steps=LIST_STEPS,
    )
    is_lost = _wikitables.is_country_lost(text, table=table, answers=denotations.split_cell(cell))
    return draft.unanswerable(LOST_REASON) if is_lost else draft


def _gold_check(cell: str, canonical: str | None) -> None:
    items = denotations.split_cell(cell)
    if not all(item.strip() for item in items):
        raise ValueError("an answer is empty")
    if canonical and len(denotations.split_cell(canonical)) != len(items):
        raise ValueError("targetCanon and targetValue have different numbers of answers")


benchmark_register(
    BenchmarkPlugin(
        id="wikitable",
        title="WikiTableQuestions: questions about tables",
        kind=kinds.TABLE,
        license="CC BY-SA 4.0",
        source="https://github.com/ppasupat/WikiTableQuestions",
        verifier_official="denotation-v1",
        splits=SPLITS,
        records=records,
        draft_of=draft_of,
        files=files,
        folder="wikitablequestions",
        answer_extra=("canonical",),
        example_split="training",
        hub=HubSource(repo="stanfordnlp/wikitablequestions@refs/convert/parquet", files=HUB_FILES),
    )
)
