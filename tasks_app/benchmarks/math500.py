"""MATH-500: the 500 test problems of MATH that PRM800K held out (Lightman et al. 2023, arXiv:2305.20050).

Official file: one JSON object per line with ``problem``, ``solution``, ``answer``, ``subject``, ``level`` (an
integer) and ``unique_id``.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tasks_app import kinds, record_files
from tasks_app.benchmarks import _competition
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, BenchmarkPlugin, HubSource, Record, Row, TaskDraft


class OfficialRow(msgspec.Struct):
    problem: str
    solution: str
    answer: str
    subject: str
    level: int
    unique_id: str


def rows(records: Iterator[Record | BadRow]) -> Iterator[Row]:
    """One draft per row; the key is its ``unique_id``."""
    return record_files.drafts(records, _draft_of)


def _draft_of(record: Record) -> TaskDraft:
    return task_draft(msgspec.convert(record.value, OfficialRow), place=record.place)


def task_draft(row: OfficialRow, *, place: str = "") -> TaskDraft:
    """Raises ``ValueError`` for an empty field or an unknown level."""
    if not row.unique_id:
        raise ValueError("the unique_id is empty")
    return _competition.task_draft(
        key=row.unique_id,
        problem=row.problem,
        answer=row.answer,
        solution=row.solution,
        subject=row.subject,
        level=_competition.level_of(str(row.level)),
        split=None,
        place=place,
    )


SAMPLES = (
    OfficialRow(
        r"What is the greatest common divisor of $7 \cdot 90$ and $4 \cdot 105$?",
        r"We have $630 = 2 \cdot 3^2 \cdot 5 \cdot 7$ and $420 = 2^2 \cdot 3 \cdot 5 \cdot 7$, so the "
        r"greatest common divisor is $2 \cdot 3 \cdot 5 \cdot 7 = \boxed{210}$.",
        "210",
        "Number Theory",
        2,
        "starter-1",
    ),
    OfficialRow(
        r"The line through $(1,4)$ and $(5,2)$ meets the $x$-axis at the point $P$. "
        r"What are the coordinates of $P$?",
        r"The slope is $\frac{2-4}{5-1} = -\frac{1}{2}$. From $(5,2)$ the line needs to fall by $2$, so $x$ "
        r"grows by $4$: $P = \boxed{(9,0)}$.",
        "(9,0)",
        "Algebra",
        3,
        "starter-2",
    ),
    OfficialRow(
        r"A right triangle has legs of length $\sqrt{6}$ and $\sqrt{12}$. What is the length of its "
        r"hypotenuse, in simplest radical form?",
        r"By the Pythagorean theorem it is $\sqrt{6 + 12} = \sqrt{18} = \boxed{3\sqrt{2}}$.",
        r"3\sqrt{2}",
        "Geometry",
        1,
        "starter-3",
    ),
)

benchmarks.register(
    "math500",
    BenchmarkPlugin(
        id="math500",
        title="MATH-500",
        kind=kinds.FREE_ANSWER,
        license="MIT",
        source="https://github.com/openai/prm800k",
        verifier_official="math-v1",
        verifier_training="math_strict-v1",
        splits=("test",),
        example_benchmark="math",
        example_split="train",
        rows=rows,
        samples=tuple(task_draft(row) for row in SAMPLES),
        hub=HubSource(repo="HuggingFaceH4/MATH-500", files={"test": ("test.jsonl",)}),
    ),
)
