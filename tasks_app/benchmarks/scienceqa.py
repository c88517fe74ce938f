"""ScienceQA: school questions with a hint, often a picture, and choices (Lu et al. 2022, arXiv:2209.09513).

Official files: ``problems.json``, one object of all problems by their ids, and beside it
``images/<split>/<id>/image.png``, in some folders ``choice_0.png`` and on for the choices. On the hub Parquet
of the same fields with the picture inline, without ids, splits and the choices' pictures. Lecture and
solution are never shown. Official check, ``run_gpt3.py``: the letter in ``The answer is X.``; it chooses at
random where there is none, which is incorrect here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from tasks_app import kinds, record_files
from tasks_app.benchmarks import _choices
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, BenchmarkPlugin, HubSource, PictureDraft, Record, Row, TaskDraft

SPLIT_NAMES = {"train": "train", "validation": "val", "val": "val", "test": "test"}
PROBLEMS = "problems.json"
LAST_GRADE = 12
GRADE = re.compile(r"grade(\d{1,2})")
ID = re.compile(r"\w{1,40}")
PICTURE_NAME = re.compile(r"\w[\w.-]*")


class Inline(msgspec.Struct):
    data: bytes = msgspec.field(name="bytes")


class OfficialRow(msgspec.Struct):
    question: str
    choices: list[str]
    answer: int
    hint: str | None = ""
    image: str | Inline | None = None
    grade: str = ""
    subject: str = ""
    topic: str = ""
    lecture: str | None = ""
    solution: str | None = ""
    split: str | None = None
    pid: str = ""


def rows(records: Iterator[Record | BadRow]) -> Iterator[Row]:
    """One draft per problem; the key is its id, or the row's number in its split on the hub."""
    return record_files.drafts(_choices.renumbered(_problems(records), _group), _draft_of)


def files(folder: Path, _split: str) -> list[Path]:
    """The data files, without the official folder's other JSON files (ids by split, captions)."""
    return [
        file
        for file in record_files.source_files(folder)
        if file.name == PROBLEMS or file.suffix in (".jsonl", ".parquet")
    ]


def _problems(rows: Iterator[Record | BadRow]) -> Iterator[Record | BadRow]:
    """The object of all problems, split into one record each, placed by id."""
    for record in rows:
        if isinstance(record, BadRow) or not isinstance(record.value, dict) or "question" in record.value:
            yield record
            continue
        for number, (pid, problem) in enumerate(record.value.items(), start=1):
            value = {**problem, "pid": pid} if isinstance(problem, dict) else problem
            line = int(pid) if pid.isascii() and pid.isdigit() else number
            yield Record(record.file, line, number, value)


def _group(record: Record) -> str:
    return _file_split(record.file) or ""


@lru_cache(maxsize=64)
def _file_split(file: Path) -> str | None:
    return _choices.split_of(file, names=SPLIT_NAMES)


def _draft_of(record: Record) -> TaskDraft:
    row = msgspec.convert(record.value, OfficialRow)
    split = _file_split(record.file) if row.split is None else SPLIT_NAMES.get(row.split, "")
    if split == "" or not (row.pid == "" or ID.fullmatch(row.pid)):
        raise ValueError(f"the split {row.split!r} or the id {row.pid[:40]!r} is not an official one")
    folder = record.file.parent / "images" / row.split / row.pid if row.split and row.pid else None
    pictures = _picture(row.image, folder)
    texts, small = _with_pictures(row.choices, folder, already=len(pictures))
    return task_draft(
        row,
        key=row.pid or str(record.number),
        texts=texts,
        pictures=(*pictures, *small),
        split=split,
        place=record.place,
    )


def task_draft(
    row: OfficialRow,
    *,
    key: str,
    texts: Sequence[str] = (),
    pictures: tuple[PictureDraft, ...] = (),
    split: str | None = None,
    place: str = "",
) -> TaskDraft:
    """``texts`` are the choices with the places of their pictures. Raises ``ValueError`` for a bad answer."""
    grade = GRADE.fullmatch(row.grade)
    tags = (row.subject.replace(" ", "-"), row.topic, f"grade-{grade[1]}" if grade else "")
    return _choices.task_draft(
        _choices.ChoiceItem(
            key=key,
            question=row.question,
            passage=row.hint or "",
            texts=texts or row.choices,
            answer=_choices.letter_of(row.answer, count=len(row.choices)),
            pictures=pictures,
            solution=row.solution or "",
            extra={"lecture": row.lecture} if row.lecture else {},
            split=split,
            difficulty=difficulty(int(grade[1])) if grade else None,
            tags=tuple(tag for tag in tags if tag),
            place=place,
        )
    )


def difficulty(grade: int) -> float | None:
    """Grade 1 is 0, grade 12 is 1."""
    return (grade - 1) / (LAST_GRADE - 1) if 1 <= grade <= LAST_GRADE else None


def _picture(image: str | Inline | None, folder: Path | None) -> tuple[PictureDraft, ...]:
    if image is None:
        return ()
    if isinstance(image, Inline):
        return (PictureDraft(data=image.data),)
    file = folder / image if folder and PICTURE_NAME.fullmatch(image) else None
    if file is None or not file.is_file():
        raise ValueError(f"the picture {image[:80]!r} is not in the folder images")
    return (PictureDraft(data=file.read_bytes),)


def _with_pictures(
    choices: list[str], folder: Path | None, *, already: int
) -> tuple[list[str], list[PictureDraft]]:
    """The choices' texts with their picture places, and the pictures."""
    texts, pictures = [], []
    for number, text in enumerate(choices):
        file = folder / f"choice_{number}.png" if folder else None
        if file and file.is_file():
            pictures.append(PictureDraft(data=file.read_bytes))
            text = f"<image {already + len(pictures)}> {text}"
        texts.append(text)
    return texts, pictures


def _scale() -> bytes:
    """A pair of scales, its left pan low: a box A in it, a ball B on the right."""
    from io import BytesIO

    from PIL import Image, ImageDraw

    image = Image.new("RGB", (360, 220), "white")
    draw = ImageDraw.Draw(image)
    draw.line([(180, 60), (180, 200)], fill="black", width=4)
    draw.line([(60, 90), (300, 30)], fill="black", width=4)
    draw.line([(20, 150), (100, 150)], fill="black", width=4)
    draw.line([(260, 90), (340, 90)], fill="black", width=4)
    draw.line([(60, 90), (60, 150)], fill="gray", width=2)
    draw.line([(300, 30), (300, 90)], fill="gray", width=2)
    draw.rectangle([(40, 118), (80, 148)], outline="black", width=2)
    draw.ellipse([(282, 52), (318, 88)], outline="black", width=2)
    draw.text((57, 127), "A", fill="black")
    draw.text((297, 64), "B", fill="black")
    encoded = BytesIO()
    image.save(encoded, "PNG")
    return encoded.getvalue()


SAMPLES = (
    OfficialRow(
        question="Which word would stand on a dictionary page with these guide words?\nlantern - lizard",
        choices=["lemon", "lamb"],
        answer=0,
        grade="grade3",
        subject="language science",
        topic="reference-skills",
        solution="Lemon comes after lantern and before lizard. Lamb comes before lantern.",
    ),
    OfficialRow(
        hint="A box, A, and a ball, B, lie in the two pans.",
        question="Which one is heavier?",
        choices=["the ball", "the box", "neither; they weigh the same"],
        answer=1,
        image="image.png",
        grade="grade2",
        subject="natural science",
        topic="physics",
        solution="The pan with the box hangs lower, so the box is heavier.",
    ),
    OfficialRow(
        hint="Lena waters one of two bean plants with salt water and the other with the same amount of tap "
        "water. Both stand at one window. After two weeks she measures how tall they are.",
        question="Which question can her experiment answer?",
        choices=[
            "Do beans grow taller in the shade?",
            "Does tap water hold salt?",
            "Does salt water change how tall a bean plant grows?",
            "Do beans need more water than peas?",
        ],
        answer=2,
        grade="grade6",
        subject="natural science",
        topic="science-and-engineering-practices",
        solution="All is the same for both plants but the salt, and what she measures is their height.",
    ),
)

benchmarks.register(
    "scienceqa",
    BenchmarkPlugin(
        id="scienceqa",
        title="ScienceQA: school questions with hints and pictures",
        kind=kinds.CHOICE,
        license="CC BY-NC-SA 4.0",
        source="https://github.com/lupantech/ScienceQA",
        verifier_official="choice-v1",
        verifier_training="choice-v1",
        splits=("train", "val", "test"),
        rows=rows,
        files=files,
        samples=tuple(
            task_draft(row, key=f"starter-{n}", pictures=(PictureDraft(data=_scale),) if row.image else ())
            for n, row in enumerate(SAMPLES, start=1)
        ),
        hub=HubSource(
            repo="derek-thomas/ScienceQA",
            files={
                "train": ("data/train-*.parquet",),
                "val": ("data/validation-*.parquet",),
                "test": ("data/test-*.parquet",),
            },
        ),
    ),
)
