"""ARC: science exam questions of grades 3 to 9, easy and challenging (Clark et al. 2018, arXiv:1803.05457).

Official files: one JSON object per line with ``id``, ``question`` (``stem`` and ``choices`` of ``text`` and
``label``) and ``answerKey``; on the hub ``question`` is the stem and ``choices`` holds two lists. Labels are
letters or numerals, three to five of them. Official check, in allenai/aristo-leaderboard: the key is among
the predicted labels. The official folder repeats the questions as CSV files, which are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import msgspec

from tasks_app import kinds, record_files
from tasks_app.benchmarks import _choices
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, BenchmarkPlugin, HubSource, Record, Row, TaskDraft

SPLIT_NAMES = {"train": "train", "validation": "dev", "dev": "dev", "test": "test"}
CONFIGS = ("challenge", "easy")
# Many ids say exam, year and grade: MCAS_2007_8_5180 was set in grade 8.
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


def rows(records: Iterator[Record | BadRow]) -> Iterator[Row]:
    """One draft per row; the key is the official ``id``, which no other question of either set has."""
    return record_files.drafts(records, _draft_of)


def files(folder: Path, _split: str) -> list[Path]:
    return [file for file in record_files.source_files(folder) if file.suffix in (".jsonl", ".parquet")]


def _draft_of(record: Record) -> TaskDraft:
    row = msgspec.convert(record.value, OfficialRow)
    config, split = _file_facts(record.file)
    return task_draft(row, config=config, split=split, place=record.place)


@lru_cache(maxsize=64)
def _file_facts(file: Path) -> tuple[str, str | None]:
    """The set (empty if neither file nor folder names it) and the split."""
    name = f"{file.parent.name}/{file.name}".casefold()
    config = next((config for config in CONFIGS if config in name), "")
    return config, _choices.split_of(file, names=SPLIT_NAMES)


def task_draft(row: OfficialRow, *, config: str, split: str | None = None, place: str = "") -> TaskDraft:
    """Raises ``ValueError`` for missing choices, an empty text, repeated labels, a key that is no label."""
    stem, choices = _question(row)
    grade = GRADE.search(row.id)
    tags = (config, f"grade-{grade['grade']}" if grade else "")
    return _choices.task_draft(
        _choices.ChoiceItem(
            key=row.id,
            question=stem,
            labels=[choice.label for choice in choices],
            texts=[choice.text for choice in choices],
            answer=row.answer,
            split=split,
            tags=tuple(tag for tag in tags if tag),
            place=place,
        )
    )


def _question(row: OfficialRow) -> tuple[str, list[Choice]]:
    if isinstance(row.question, Question):
        return row.question.stem, row.question.choices
    if row.choices is None:
        raise ValueError("it has no choices")
    pairs = row.choices.text, row.choices.label
    if len(pairs[0]) != len(pairs[1]):
        raise ValueError(f"it has {len(pairs[0])} choices and {len(pairs[1])} labels")
    return row.question, [Choice(text, label) for text, label in zip(*pairs, strict=True)]


def _sample(key: str, stem: str, choices: dict[str, str], answer: str) -> OfficialRow:
    question = Question(stem, [Choice(text, label) for label, text in choices.items()])
    return OfficialRow(id=key, question=question, answer=answer)


SAMPLES = (
    (
        "easy",
        _sample(
            "starter-1",
            "A puddle is gone after a sunny morning. What has happened to most of its water?",
            {
                "A": "It has frozen.",
                "B": "It has become rock.",
                "C": "It has evaporated.",
                "D": "It has burned.",
            },
            "C",
        ),
    ),
    (
        "challenge",
        _sample(
            "starter-2",
            "Two equal cups of tea stand in a cool room, one with a lid. Why does that one stay warm longer?",
            {
                "1": "The lid warms the tea.",
                "2": "Less water evaporates, and evaporation takes heat away.",
                "3": "The lid makes the tea heavier.",
                "4": "Cold air sinks through the lid.",
            },
            "2",
        ),
    ),
    (
        "challenge",
        _sample(
            "starter-3",
            "Which of these changes makes a new substance?",
            {"A": "a nail that rusts", "B": "ice that melts", "C": "salt that dissolves in soup"},
            "A",
        ),
    ),
)

benchmarks.register(
    "arc",
    BenchmarkPlugin(
        id="arc",
        title="ARC: science exam questions with choices",
        kind=kinds.CHOICE,
        license="CC BY-SA 4.0",
        source="https://allenai.org/data/arc",
        verifier_official="choice-v1",
        verifier_training="choice-v1",
        splits=("train", "dev", "test"),
        rows=rows,
        files=files,
        samples=tuple(task_draft(row, config=config) for config, row in SAMPLES),
        hub=HubSource(
            repo="allenai/ai2_arc",
            files={
                split: tuple(f"{config}/{name}-*.parquet" for config in ("ARC-Challenge", "ARC-Easy"))
                for split, name in (("train", "train"), ("dev", "validation"), ("test", "test"))
            },
        ),
    ),
)
