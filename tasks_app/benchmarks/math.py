r"""MATH: competition problems in seven subjects and five levels (Hendrycks et al. 2021, arXiv:2103.03874).

Official form: a tree ``MATH/<split>/<subject>/<n>.json`` of objects with ``problem``, ``level``, ``type`` and
``solution``; also met as one JSON object per line, and on the hub as one Parquet file per subject.
The answer is the content of the last ``\boxed`` of the solution.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tasks_app import kinds, record_files
from tasks_app.benchmarks import _competition
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, BenchmarkPlugin, HubSource, Record, Row, TaskDraft

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


def rows(records: Iterator[Record | BadRow]) -> Iterator[Row]:
    """One draft per problem; keys are ``algebra/123`` from a tree, and row numbers from other files."""
    return record_files.drafts(records, _draft_of)


def _draft_of(record: Record) -> TaskDraft:
    row = msgspec.convert(record.value, OfficialRow)
    return task_draft(row, key=_key(record), split=_split(record), place=record.place)


def task_draft(row: OfficialRow, *, key: str, split: str | None = None, place: str = "") -> TaskDraft:
    """Raises ``ValueError`` when there is no boxed answer or the level is unknown."""
    return _competition.task_draft(
        key=key,
        problem=row.problem,
        answer=_competition.boxed_answer(row.solution),
        solution=row.solution,
        subject=row.type,
        level=_competition.level_of(row.level),
        split=split,
        place=place,
    )


def _key(record: Record) -> str:
    folder, stem = record.file.parent.name, record.file.stem
    if record.file.suffix == ".json":
        return f"{folder}/{stem}"
    # Parquet rows of a subject are not the tree's file numbers, so they must not look like them.
    return f"{folder}/row-{record.line}" if folder in SUBJECTS else str(record.number)


def _split(record: Record) -> str | None:
    """The split that a tree's folder names; other files leave it to their own name or the command."""
    named = record.file.parent.parent.name
    return named if record.file.suffix == ".json" and named in SPLITS else None


SAMPLES = (
    OfficialRow(
        r"Find the sum of all real solutions of the equation $2x^2 - 11x + 5 = 0$. "
        r"Give it as a common fraction.",
        "Level 2",
        "Algebra",
        r"The discriminant is $121 - 40 = 81 > 0$, so both solutions are real, and by Vieta's formulas "
        r"their sum is $\frac{11}{2}$. The answer is $\boxed{\frac{11}{2}}$.",
    ),
    OfficialRow(
        r"Six runners start a race, and no two of them finish together. Anna is one of the runners. "
        r"In how many ways can the gold, silver and bronze medals be given if Anna wins one of them?",
        "Level 3",
        "Counting & Probability",
        r"Anna takes one of the $3$ medals, and the other two go to two of the other five runners in "
        r"$5 \cdot 4 = 20$ ways. That makes $3 \cdot 20 = \boxed{60}$ ways.",
    ),
    OfficialRow(
        r"Write the complex number \[\dfrac{5 + 5i}{2 - i}\] in the form $a + bi$ "
        r"with real numbers $a$ and $b$.",
        "Level 4",
        "Intermediate Algebra",
        r"Multiply above and below by $2 + i$: "
        r"\[\frac{(5 + 5i)(2 + i)}{5} = (1 + i)(2 + i) = 2 + i + 2i - 1 = \boxed{1 + 3i}.\]",
    ),
)

benchmarks.register(
    "math",
    BenchmarkPlugin(
        id="math",
        title="MATH: competition mathematics",
        kind=kinds.FREE_ANSWER,
        license="MIT",
        source="https://github.com/hendrycks/math",
        verifier_official="math-v1",
        verifier_training="math_strict-v1",
        splits=SPLITS,
        rows=rows,
        samples=tuple(task_draft(row, key=f"starter-{n}") for n, row in enumerate(SAMPLES, start=1)),
        hub=HubSource(
            repo="EleutherAI/hendrycks_math",
            files={split: tuple(f"{subject}/{split}-*.parquet" for subject in SUBJECTS) for split in SPLITS},
        ),
    ),
)
