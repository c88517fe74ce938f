r"""MATH: competition problems in seven subjects and five levels (Hendrycks et al. 2021, arXiv:2103.03874).

The official form is a tree ``MATH/<split>/<subject>/<n>.json`` of objects with ``problem``, ``level``,
``type`` and ``solution``. The set is also distributed as one JSON object per line and, on the hub, as one
Parquet file per subject. The answer is the content of the last ``\boxed`` in the solution.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from tasks_app import kinds
from tasks_app.benchmarks import _competition
from tasks_app.registry import benchmark_register
from tasks_app.solutions import sentences
from tasks_app.types import BenchmarkPlugin, HubSource, Record, TaskDraft

SPLITS = ("train", "test")
SUBJECTS = (
    "algebra",
    "counting_and_probability",
    "geometry",
    "intermediate_algebra",
    "number_theory",
    "prealgebra",
    "precalculus",
)


class OfficialRow(msgspec.Struct):
    problem: str
    level: str
    type: str
    solution: str


def draft_of(record: Record) -> TaskDraft:
    """Build a draft whose key is like ``algebra/123`` in the official tree, else the row's number."""
    row = record.read(OfficialRow)
    return _competition.task_draft(
        key=_key(record),
        problem=row.problem,
        answer=_competition.boxed_answer(row.solution),
        solution=row.solution,
        subject=row.type,
        level=row.level,
        split=_split(record),
    )


def _key(record: Record) -> str:
    folder, stem = record.file.parent.name, record.file.stem
    if _is_of_tree(record.file):
        return f"{folder}/{stem}"
    # Row numbers in a subject's Parquet file are not the tree's file numbers, so they must not look like
    # them.
    return f"{folder}/row-{record.line}" if folder in SUBJECTS else str(record.number)


def _split(record: Record) -> str | None:
    """Return the split that the official tree's folder names, or None to leave it to the file or command."""
    named = record.file.parent.parent.name
    return named if _is_of_tree(record.file) and named in SPLITS else None


def _is_of_tree(file: Path) -> bool:
    """Return whether a file holds one problem, as ``123.json`` does, and not a whole split."""
    return file.suffix == ".json" and file.stem.isdecimal()


benchmark_register(
    BenchmarkPlugin(
        id="math",
        title="MATH: competition mathematics",
        kind=kinds.FREE_ANSWER,
        license="MIT",
        source="https://github.com/hendrycks/math",
        verifier_official="math-v1",
        verifier_training="math_strict-v1",
        cut=sentences.cut,
        splits=SPLITS,
        draft_of=draft_of,
        hub=HubSource(
            repo="EleutherAI/hendrycks_math",
            files={split: tuple(f"{subject}/{split}-*.parquet" for subject in SUBJECTS) for split in SPLITS},
        ),
    )
)
