"""ScienceQA: school questions with choices, a hint and often a picture (Lu et al. 2022, arXiv:2209.09513).

The official files are ``problems.json``, one object that maps ids to problems, and next to it
``images/<split>/<id>/image.png``; some folders also have ``choice_0.png`` and so on for the choices. The hub
has Parquet with the same fields and the picture inline, but without ids, splits and pictures of the choices.
The lecture and solution are never shown. The official check, ``run_gpt3.py``, reads the letter in
``The answer is X.`` and chooses at random if there is none; here a missing letter is incorrect.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from tasks_app import kinds, record_files
from tasks_app.benchmarks import _choices, _picture_sources
from tasks_app.registry import benchmark_register
from tasks_app.solutions import sentences
from tasks_app.types import (
    BadRow,
    BenchmarkPlugin,
    GoldDraft,
    HubSource,
    PictureDraft,
    Record,
    Records,
    TaskDraft,
)

SPLIT_NAMES = {"train": "train", "validation": "val", "val": "val", "test": "test"}
PROBLEMS = "problems.json"
LAST_GRADE = 12
GRADE = re.compile(r"grade(\d{1,2})")
ID = re.compile(r"\w{1,40}")


class OfficialRow(msgspec.Struct):
    question: str
    choices: list[str]
    answer: int
    hint: str | None = ""
    image: Any = None
    grade: str = ""
    subject: str = ""
    topic: str = ""
    lecture: str | None = ""
    solution: str | None = ""
    split: str | None = None
    pid: str = ""


def records(rows: Records) -> Records:
    """Number the problems within their split's file."""
    return _choices.renumber(_problems(rows), _split)


def _split(record: Record) -> str | None:
    return _choices.split_of(record.file, SPLIT_NAMES)


def files(folder: Path, _split: str) -> list[Path]:
    """List the data files without the official folder's other JSON files (ids by split, captions)."""
    return [
        file
        for file in record_files.source_files(folder)
        if file.name == PROBLEMS or file.suffix in (".jsonl", ".parquet")
    ]


def _problems(rows: Records) -> Records:
    """Split the object that holds all problems into one record per problem, placed by its id."""
    for record in rows:
        if isinstance(record, BadRow) or not isinstance(record.value, dict) or "question" in record.value:
            yield record
            continue
        for number, (pid, problem) in enumerate(record.value.items(), start=1):
            value = {**problem, "pid": pid} if isinstance(problem, dict) else problem
            line = int(pid) if pid.isascii() and pid.isdigit() else number
            yield Record(record.file, line, number, value)


def draft_of(record: Record) -> TaskDraft:
    """Build a draft whose key is the problem's id or, on the hub, the row's number. Raises ``ValueError``."""
    row = record.read(OfficialRow)
    split = _split(record) if row.split is None else SPLIT_NAMES.get(row.split, "")
    if split == "" or not (row.pid == "" or ID.fullmatch(row.pid)):
        raise ValueError(f"the split {row.split!r} or the id {row.pid[:40]!r} is not an official one")
    folder = record.file.parent / "images" / row.split / row.pid if row.split and row.pid else None
    pictures = []
    if row.image is not None:
        pictures.append(_picture_sources.picture_draft(row.image, folder=folder or record.file.parent))
    texts = _texts_with_pictures(row.choices, folder, pictures)
    grade = GRADE.fullmatch(row.grade)
    tags = (row.subject.replace(" ", "-"), row.topic, f"grade-{grade[1]}" if grade else "")
    draft = TaskDraft(
        key=row.pid or str(record.number),
        payload={"text": row.question, "format": "plain"},
        gold=GoldDraft(
            answer=_choices.to_letter(row.answer, count=len(row.choices)),
            solution=row.solution or "",
            extra={"lecture": row.lecture} if row.lecture else {},
        ),
        pictures=tuple(pictures),
        split=split,
        difficulty=difficulty(int(grade[1])) if grade else None,
        tags=tuple(tag for tag in tags if tag),
    )
    return _choices.with_choices(draft, texts, passage=row.hint or "")


def difficulty(grade: int) -> float | None:
    """Scale grades 1 to 12 to difficulties 0 to 1; None for any other grade."""
    return (grade - 1) / (LAST_GRADE - 1) if 1 <= grade <= LAST_GRADE else None


def _texts_with_pictures(choices: list[str], folder: Path | None, pictures: list[PictureDraft]) -> list[str]:
    """Return the choices' texts with references to their pictures, which are appended to ``pictures``."""
    texts = []
    for number, text in enumerate(choices):
        file = folder / f"choice_{number}.png" if folder else None
        if file and file.is_file():
            pictures.append(PictureDraft(data=file.read_bytes))
            text = f"<image {len(pictures)}> {text}"
        texts.append(text)
    return texts


benchmark_register(
    BenchmarkPlugin(
        id="scienceqa",
        title="ScienceQA: school questions with hints and pictures",
        kind=kinds.CHOICE,
        license="CC BY-NC-SA 4.0",
        source="https://github.com/lupantech/ScienceQA",
        verifier_official="choice-v2",
        cut=sentences.cut,
        splits=("train", "val", "test"),
        records=records,
        draft_of=draft_of,
        files=files,
        hub=HubSource(
            repo="derek-thomas/ScienceQA",
            files={
                "train": ("data/train-*.parquet",),
                "val": ("data/validation-*.parquet",),
                "test": ("data/test-*.parquet",),
            },
        ),
    )
)
