"""MATH-500: the 500 test problems of MATH that PRM800K held out (Lightman et al. 2023, arXiv:2305.20050).

The official file has one JSON object per line with ``problem``, ``solution``, ``answer``, ``subject``,
``level`` (an integer) and ``unique_id``.
"""

from __future__ import annotations

import msgspec

from tasks_app import kinds
from tasks_app.benchmarks import _competition
from tasks_app.registry import benchmark_register
from tasks_app.solutions import sentences
from tasks_app.types import BenchmarkPlugin, HubSource, Record, TaskDraft


class OfficialRow(msgspec.Struct):
    problem: str
    solution: str
    answer: str
    subject: str
    level: int
    unique_id: str


def draft_of(record: Record) -> TaskDraft:
    """Build a draft whose key is the ``unique_id``. Raises ``ValueError`` if that is empty."""
    row = record.read(OfficialRow)
    if not row.unique_id:
        raise ValueError("the unique_id is empty")
    return _competition.task_draft(
        key=row.unique_id,
        problem=row.problem,
        answer=row.answer,
        solution=row.solution,
        subject=row.subject,
        level=str(row.level),
    )


benchmark_register(
    BenchmarkPlugin(
        id="math500",
        title="MATH-500",
        kind=kinds.FREE_ANSWER,
        license="MIT",
        source="https://github.com/openai/prm800k",
        verifier_official="math-v1",
        verifier_training="math_strict-v1",
        cut=sentences.cut,
        splits=("test",),
        example_benchmark="math",
        example_split="train",
        draft_of=draft_of,
        hub=HubSource(repo="HuggingFaceH4/MATH-500", files={"test": ("test.jsonl",)}),
    )
)
