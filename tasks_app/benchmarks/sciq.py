"""SciQ: science exam questions written by the crowd (Welbl et al. 2017, arXiv:1707.06209).

Official files: a JSON list per split (``train.json``, ``valid.json``, ``test.json``) of ``question``,
``correct_answer``, ``distractor1`` to ``distractor3`` and ``support``, a passage that may be empty; Parquet
with the same fields on the hub. The source gives the four options no order. Check: the chosen option.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import msgspec

from tasks_app import kinds, record_files
from tasks_app.benchmarks import _choice_order, _choices
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, BenchmarkPlugin, HubSource, Record, Row, TaskDraft

SPLIT_NAMES = {"train": "train", "validation": "valid", "valid": "valid", "test": "test"}


class OfficialRow(msgspec.Struct):
    question: str
    correct_answer: str
    distractor1: str
    distractor2: str
    distractor3: str
    support: str | None = None

    @property
    def options(self) -> tuple[str, ...]:
        return (self.correct_answer, self.distractor1, self.distractor2, self.distractor3)


def rows(records: Iterator[Record | BadRow]) -> Iterator[Row]:
    """One draft per row; the key is the row's number in the file of its split."""
    return record_files.drafts(_choices.renumbered(records, _group), _draft_of)


def _group(record: Record) -> str:
    return _split(record.file) or ""


@lru_cache(maxsize=64)
def _split(file: Path) -> str | None:
    return _choices.split_of(file, names=SPLIT_NAMES)


def _draft_of(record: Record) -> TaskDraft:
    row = msgspec.convert(record.value, OfficialRow)
    return task_draft(row, key=str(record.number), split=_split(record.file), place=record.place)


def task_draft(row: OfficialRow, *, key: str, split: str | None = None, place: str = "") -> TaskDraft:
    """Raises ``ValueError`` for an empty question or option."""
    texts = mixed(_choices.cleaned(row.question), [_choices.cleaned(option) for option in row.options])
    right = texts.index(_choices.cleaned(row.correct_answer))
    return _choices.task_draft(
        _choices.ChoiceItem(
            key=key,
            question=row.question,
            passage=row.support or "",
            texts=texts,
            answer=_choices.letter_of(right, count=len(texts)),
            split=split,
            place=place,
        )
    )


def mixed(question: str, options: list[str]) -> list[str]:
    """The options in an order of the item's own, which does not depend on their original order.

    Each is placed by a hash of its text and the question's. The right one plays no part in it: an order
    seeded with it would reveal it to anyone who tries all four seeds. "All of the above" goes last.
    """

    def place(option: str) -> tuple[bool, bytes]:
        digest = hashlib.sha256(f"sciq-v1\0{question}\0{option}".encode("utf-8", "surrogatepass")).digest()
        return _choice_order.speaks_of_others(option), digest

    return sorted(options, key=place)


SAMPLES = (
    OfficialRow(
        question="What do plants take in from the air to make sugar?",
        correct_answer="carbon dioxide",
        distractor1="nitrogen",
        distractor2="helium",
        distractor3="methane",
        support="In photosynthesis a plant uses the energy of light to build sugar from water and carbon "
        "dioxide. The water comes through the roots, the gas through small openings in the leaves.",
    ),
    OfficialRow(
        question="Which layer of Earth is liquid metal?",
        correct_answer="outer core",
        distractor1="crust",
        distractor2="inner core",
        distractor3="upper mantle",
        support="",
    ),
    OfficialRow(
        question="Which kind of rock forms when lava cools?",
        correct_answer="igneous",
        distractor1="sedimentary",
        distractor2="metamorphic",
        distractor3="granite",
        support="Lava that reaches the surface loses its heat within days. Its crystals have little time to "
        "grow, so the igneous rock it leaves is fine-grained.",
    ),
)

benchmarks.register(
    "sciq",
    BenchmarkPlugin(
        id="sciq",
        title="SciQ: science questions with a support passage",
        kind=kinds.CHOICE,
        license="CC BY-NC 3.0",
        source="https://allenai.org/data/sciq",
        verifier_official="choice-v1",
        verifier_training="choice-v1",
        splits=("train", "valid", "test"),
        rows=rows,
        samples=tuple(task_draft(row, key=f"starter-{n}") for n, row in enumerate(SAMPLES, start=1)),
        hub=HubSource(
            repo="allenai/sciq",
            files={
                "train": ("data/train-*.parquet",),
                "valid": ("data/validation-*.parquet",),
                "test": ("data/test-*.parquet",),
            },
        ),
    ),
)
