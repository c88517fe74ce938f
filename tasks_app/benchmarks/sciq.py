"""SciQ: crowdsourced science exam questions (Welbl et al. 2017, arXiv:1707.06209).

The official files are one JSON list per split (``train.json``, ``valid.json``, ``test.json``) with
``question``, ``correct_answer``, ``distractor1`` to ``distractor3`` and ``support``, a passage that may be
empty; the hub has Parquet with the same fields. The source gives the four options in no particular order. The
check compares the chosen option.
"""

from __future__ import annotations

import hashlib

import msgspec

from tasks_app import kinds
from tasks_app.benchmarks import _choice_order, _choices
from tasks_app.registry import benchmark_register
from tasks_app.types import BenchmarkPlugin, GoldDraft, HubSource, Record, Records, TaskDraft

SPLIT_NAMES = {"train": "train", "validation": "valid", "valid": "valid", "test": "test"}


class OfficialRow(msgspec.Struct):
    question: str
    correct_answer: str
    distractor1: str
    distractor2: str
    distractor3: str
    support: str | None = None


def records(rows: Records) -> Records:
    """Number the rows within their split's file."""
    return _choices.renumber(rows, _split)


def _split(record: Record) -> str | None:
    return _choices.split_of(record.file, SPLIT_NAMES)


def draft_of(record: Record) -> TaskDraft:
    """Build a draft whose key is the row's number in its file. Raises ``ValueError`` for an empty string."""
    row = record.read(OfficialRow)
    options = (row.correct_answer, row.distractor1, row.distractor2, row.distractor3)
    texts = mix_options(_choices.cleaned(row.question), [_choices.cleaned(option) for option in options])
    right = texts.index(_choices.cleaned(row.correct_answer))
    draft = TaskDraft(
        key=str(record.number),
        payload={"text": row.question, "format": "plain"},
        gold=GoldDraft(answer=_choices.to_letter(right, count=len(texts))),
        split=_split(record),
    )
    return _choices.with_choices(draft, texts, passage=row.support or "")


def mix_options(question: str, options: list[str]) -> list[str]:
    """Order the options by their texts and the question's, regardless of their original order.

    They are sorted by a hash of both texts. Which option is right plays no part: an order seeded with it
    would reveal it to anyone who tries all four seeds. "All of the above" goes last.
    """

    def place(option: str) -> tuple[bool, bytes]:
        digest = hashlib.sha256(f"sciq-v1\0{question}\0{option}".encode("utf-8", "surrogatepass")).digest()
        return _choice_order.speaks_of_others(option), digest

    return sorted(options, key=place)


benchmark_register(
    BenchmarkPlugin(
        id="sciq",
        title="SciQ: science questions with a support passage",
        kind=kinds.CHOICE,
        license="CC BY-NC 3.0",
        source="https://allenai.org/data/sciq",
        verifier_official="choice-v2",
        splits=("train", "valid", "test"),
        records=records,
        draft_of=draft_of,
        hub=HubSource(
            repo="allenai/sciq",
            files={
                "train": ("data/train-*.parquet",),
                "valid": ("data/validation-*.parquet",),
                "test": ("data/test-*.parquet",),
            },
        ),
    )
)
