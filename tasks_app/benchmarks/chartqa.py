"""ChartQA: questions about charts, written by people or by a machine (Masry et al. 2022, arXiv:2203.10244).

Official files are ``ChartQA Dataset/<split>/<split>_human.json`` and ``<split>_augmented.json``, lists of
objects with ``imgname``, ``query`` and ``label``; the charts are in ``<split>/png``. The full download also
has ``tables`` and ``annotations``, which describe the charts and are not read. The hub has Parquet files with
``image``, ``query``, ``label`` (a list) and ``human_or_machine`` (0 or 1); another copy calls these
``image``, ``question``, ``answer`` and ``type`` (``human_test``). Labels are kept as they are, including odd
ones. The official check is relaxed accuracy, in ``verifiers/builtin/relaxed.py``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from core.errors import GymError
from tasks_app import kinds
from tasks_app.benchmarks import _picture_sources
from tasks_app.registry import benchmark_register
from tasks_app.types import BenchmarkPlugin, GoldDraft, HubSource, PictureDraft, Record, TaskDraft

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

    @property
    def origin(self) -> str:
        is_human = self.human_or_machine == 0 or str(self.human_or_machine).startswith(HUMAN)
        return HUMAN if is_human else AUGMENTED


class RenamedRow(HubRow, rename={"query": "question", "label": "answer", "human_or_machine": "type"}):
    """A row of the hub's copy ``lmms-lab/ChartQA``."""


def files(folder: Path, split: str) -> list[Path]:
    """List a split's question files, below a folder of all splits or of one.

    Raises ``GymError`` ``no_file``.
    """
    paths = [file for file in sorted(folder.rglob(f"{split}_*.json")) if QUESTIONS.fullmatch(file.stem)]
    paths = paths or sorted(folder.rglob(f"{split}-*.parquet"))
    if not paths:
        names = f"{split}_{HUMAN}.json, {split}_{AUGMENTED}.json or {split}-*.parquet"
        raise GymError("no_file", f"The folder {folder} contains no {names}.")
    return paths


def draft_of(record: Record) -> TaskDraft:
    """Build a draft. Its key is the question's author and its number in the file, such as ``human/12``.

    The hub's rows may be in another order, so their keys are ``human/row-12``, numbered across the hub's
    files. Raises ``ValueError`` if the file or the chart is not named as expected.
    """
    if isinstance(record.value, dict):
        for name, kind in (("human_or_machine", HubRow), ("type", RenamedRow)):
            if name in record.value:
                return _hub_draft(record, row=record.read(kind))
    named = QUESTIONS.fullmatch(record.file.stem)
    if named is None:
        raise ValueError(f"the file's name is not like test_{HUMAN}.json or test_{AUGMENTED}.json")
    row = record.read(OfficialRow)
    if not CHART_NAME.fullmatch(row.imgname):
        raise ValueError(f"the chart {row.imgname[:80]!r} is not a file name")
    return _draft(
        row.query,
        labels=[row.label],
        chart=_picture_sources.picture_draft(row.imgname, folder=record.file.parent / CHARTS),
        key=f"{named['origin']}/{record.line}",
        split=named["split"],
    )


def _hub_draft(record: Record, *, row: HubRow) -> TaskDraft:
    return _draft(
        row.query,
        labels=row.label if isinstance(row.label, list) else [row.label],
        chart=_picture_sources.picture_draft(row.image, folder=record.file.parent),
        key=f"{row.origin}/row-{record.number}",
    )


def _draft(
    query: str, *, labels: Sequence[str], chart: PictureDraft, key: str, split: str | None = None
) -> TaskDraft:
    """Build a draft. Raises ``ValueError`` for an empty question or label."""
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
        gold=GoldDraft(answer=labels[0], accepted=tuple(labels[1:]), extra={"question": text}),
        split=split,
        tags=(key.partition("/")[0],),
    )


benchmark_register(
    BenchmarkPlugin(
        id="chartqa",
        title="ChartQA: questions about charts",
        kind=kinds.PICTURE,
        license="GPL-3.0",
        source="https://github.com/vis-nlp/ChartQA",
        verifier_official="relaxed-v1",
        verifier_training="relaxed_strict-v1",
        splits=SPLITS,
        draft_of=draft_of,
        files=files,
        hub=HubSource(
            repo="HuggingFaceM4/ChartQA", files={split: (f"data/{split}-*.parquet",) for split in SPLITS}
        ),
    )
)
