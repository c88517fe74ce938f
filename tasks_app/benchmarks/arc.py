"""ARC: easy and challenging science exam questions of grades 3 to 9 (Clark et al. 2018, arXiv:1803.05457).

An official file has one JSON object per line with ``id``, ``question`` (``stem``, and ``choices`` with
``text`` and ``label``) and ``answerKey``; on the hub, ``question`` is the stem and ``choices`` holds two
lists. The labels are three to five letters or numerals. The official check, in allenai/aristo-leaderboard, is
that the key is among the predicted labels. The official folder repeats the questions as CSV files, which are
not read.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from tasks_app import kinds, record_files
from tasks_app.benchmarks import _choices
from tasks_app.registry import benchmark_register
from tasks_app.types import BenchmarkPlugin, GoldDraft, HubSource, Record, TaskDraft

SPLIT_NAMES = {"train": "train", "validation": "dev", "dev": "dev", "test": "test"}
CONFIGS = ("challenge", "easy")
# Many ids contain exam, year and grade: MCAS_2007_8_5180 was set in grade 8.
GRADE = re.compile(r"_(?:19|20)\d\d_(?P<grade>[3-9])_")


class Choice(msgspec.Struct):
    text: str
    label: str


class Question(msgspec.Struct):
    stem: str
    choices: list[Choice]


class HubChoices(msgspec.Struct):
    text: list[str]
    label: list[str]


class OfficialRow(msgspec.Struct):
    id: str
    question: Question | str
    answer: str = msgspec.field(name="answerKey")
    choices: HubChoices | None = None


def files(folder: Path, _split: str) -> list[Path]:
    return [file for file in record_files.source_files(folder) if file.suffix in (".jsonl", ".parquet")]


def draft_of(record: Record) -> TaskDraft:
    """Build a draft.

    Its key is the official ``id``, which is unique across both sets; a tag names the set. Raises
    ``ValueError`` for missing choices, empty strings, repeated labels, or an answer key that is not a label.
    """
    row = record.read(OfficialRow)
    stem, choices = _question(row)
    name = f"{record.file.parent.name}/{record.file.name}".casefold()
    config = [config for config in CONFIGS if config in name][:1]
    grade = GRADE.search(row.id)
    draft = TaskDraft(
        key=row.id,
        payload={"text": stem, "format": "plain"},
        gold=GoldDraft(answer=row.answer),
        split=_choices.split_of(record.file, SPLIT_NAMES),
        tags=(*config, f"grade-{grade['grade']}") if grade else (*config,),
    )
    labels = [choice.label for choice in choices]
    return _choices.with_choices(draft, [choice.text for choice in choices], labels=labels)


def _question(row: OfficialRow) -> tuple[str, list[Choice]]:
    if isinstance(row.question, Question):
        return row.question.stem, row.question.choices
    if row.choices is None:
        raise ValueError("it has no choices")
    pairs = row.choices.text, row.choices.label
    if len(pairs[0]) != len(pairs[1]):
        raise ValueError(f"it has {len(pairs[0])} choices and {len(pairs[1])} labels")
    return row.question, [Choice(text, label) for text, label in zip(*pairs, strict=True)]


benchmark_register(
    BenchmarkPlugin(
        id="arc",
        title="ARC: science exam questions with choices",
        kind=kinds.CHOICE,
        license="CC BY-SA 4.0",
        source="https://allenai.org/data/arc",
        verifier_official="choice-v2",
        splits=("train", "dev", "test"),
        draft_of=draft_of,
        files=files,
        hub=HubSource(
            repo="allenai/ai2_arc",
            files={
                split: tuple(f"{config}/{name}-*.parquet" for config in ("ARC-Challenge", "ARC-Easy"))
                for split, name in (("train", "train"), ("dev", "validation"), ("test", "test"))
            },
        ),
    )
)
