"""ChartQA: questions about charts, by people and by a machine (Masry et al. 2022, arXiv:2203.10244).

Official files: ``ChartQA Dataset/<split>/<split>_human.json`` and ``<split>_augmented.json``, lists of
objects with ``imgname``, ``query`` and ``label``, and the charts in ``<split>/png``. The full download has
``tables`` and ``annotations`` as well, which describe the charts and are not read. On the hub
Parquet with ``image``, ``query``, ``label`` as a list and ``human_or_machine`` (0 or 1). Labels stay as they
are, odd ones too. Official check: relaxed accuracy, ``verifiers/builtin/relaxed.py``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from core.errors import GymError
from tasks_app import kinds, record_files
from tasks_app.benchmarks import _drawings, _picture_sources
from tasks_app.registry import benchmarks
from tasks_app.types import (
    BadRow,
    BenchmarkPlugin,
    GoldDraft,
    HubSource,
    PictureDraft,
    Record,
    Row,
    TaskDraft,
)

SPLITS = ("train", "val", "test")
CHARTS = "png"
HUMAN, AUGMENTED = "human", "augmented"
QUESTIONS = re.compile(rf"(?P<split>{'|'.join(SPLITS)})_(?P<origin>{HUMAN}|{AUGMENTED})")
CHART_NAME = re.compile(r"[^/\\\0]+")


class OfficialRow(msgspec.Struct):
    imgname: str
    query: str
    label: str


class HubRow(msgspec.Struct):
    image: Any
    query: str
    label: list[str] | str
    human_or_machine: int | str


def rows(records: Iterator[Record | BadRow]) -> Iterator[Row]:
    """One draft per question. The key is the question's author and its number in its file, ``human/12``.

    The hub's rows may be in another order, so their keys are ``human/row-12``, numbered across its files.
    """
    return record_files.drafts(records, _draft_of)


def files(folder: Path, split: str) -> list[Path]:
    """A split's questions, in a folder of all splits or of one. Raises ``GymError`` ``no_file``."""
    paths = [file for file in sorted(folder.rglob(f"{split}_*.json")) if QUESTIONS.fullmatch(file.stem)]
    paths = paths or sorted(folder.rglob(f"{split}-*.parquet"))
    if not paths:
        names = f"{split}_{HUMAN}.json, {split}_{AUGMENTED}.json or {split}-*.parquet"
        raise GymError("no_file", f"The folder {folder} holds no {names}.")
    return paths


def _draft_of(record: Record) -> TaskDraft:
    if record.file.suffix == ".parquet":
        return _from_hub(record)
    named = QUESTIONS.fullmatch(record.file.stem)
    if named is None:
        raise ValueError(f"the file's name is not like test_{HUMAN}.json or test_{AUGMENTED}.json")
    row = msgspec.convert(record.value, OfficialRow)
    if not CHART_NAME.fullmatch(row.imgname):
        raise ValueError(f"the chart {row.imgname[:80]!r} is not the name of a file")
    chart = _picture_sources.picture_draft(row.imgname, folder=record.file.parent / CHARTS)
    return task_draft(
        row.query,
        labels=(row.label,),
        chart=chart,
        key=f"{named['origin']}/{record.line}",
        origin=named["origin"],
        split=named["split"],
        place=record.place,
    )


def _from_hub(record: Record) -> TaskDraft:
    row = msgspec.convert(record.value, HubRow)
    origin = HUMAN if row.human_or_machine in (0, HUMAN) else AUGMENTED
    return task_draft(
        row.query,
        labels=tuple(row.label) if isinstance(row.label, list) else (row.label,),
        chart=_picture_sources.picture_draft(row.image, folder=record.file.parent),
        key=f"{origin}/row-{record.number}",
        origin=origin,
        place=record.place,
    )


def task_draft(
    query: str,
    *,
    labels: tuple[str, ...],
    chart: PictureDraft,
    key: str,
    origin: str,
    split: str | None = None,
    place: str = "",
) -> TaskDraft:
    """Raises ``ValueError`` for an empty question or label."""
    text = query.strip()
    if not text:
        raise ValueError("the question is empty")
    if not labels or not all(label.strip() for label in labels):
        raise ValueError("the label is empty")
    return TaskDraft(
        key=key,
        kind=kinds.PICTURE,
        payload={"text": text, "format": "plain"},
        pictures=(chart,),
        gold=GoldDraft(answer=labels[0], accepted=labels[1:], source=place),
        split=split,
        tags=(origin,),
        place=place,
    )


SAMPLES: tuple[tuple[str, str, str, Callable[[], bytes]], ...] = (
    ("On which day did the museum have the second most visitors?", "Sun", HUMAN, _drawings.visitors),
    ("How many more people came on Saturday than on Tuesday?", "215", HUMAN, _drawings.visitors),
    ("In which year was the least fish caught?", "2017", AUGMENTED, _drawings.catches),
    ("What is the average of the catches of 2016 and 2018, in tons?", "45.5", HUMAN, _drawings.catches),
)

benchmarks.register(
    "chartqa",
    BenchmarkPlugin(
        id="chartqa",
        title="ChartQA: questions about charts",
        kind=kinds.PICTURE,
        license="GPL-3.0",
        source="https://github.com/vis-nlp/ChartQA",
        verifier_official="relaxed-v1",
        verifier_training="relaxed_strict-v1",
        splits=SPLITS,
        rows=rows,
        files=files,
        samples=tuple(
            task_draft(
                query, labels=(label,), chart=PictureDraft(data=drawn), key=f"starter-{number}", origin=origin
            )
            for number, (query, label, origin, drawn) in enumerate(SAMPLES, start=1)
        ),
        hub=HubSource(
            repo="HuggingFaceM4/ChartQA", files={split: (f"data/{split}-*.parquet",) for split in SPLITS}
        ),
    ),
)
