r"""AMC 12: contest problems of 2022 and 2023, rewritten to have a number as answer instead of five choices.

The set is ``AI-MO/aimo-validation-amc``: JSON lines, or Parquet on the hub, with ``id``, ``problem``,
``answer`` (a float such as 142.0) and ``url``; copies call the problem ``question``. Check: the same number.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tasks_app import kinds, record_files
from tasks_app.benchmarks import _contest
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, BenchmarkPlugin, GoldDraft, HubSource, Record, Row, TaskDraft

LAST_NUMBER = 25


class OfficialRow(msgspec.Struct):
    answer: int | float | str
    problem: str = ""
    question: str = ""
    id: int | str | None = None
    url: str = ""
    solution: str | None = None


def rows(records: Iterator[Record | BadRow]) -> Iterator[Row]:
    """One draft per row; the key is year, paper and number (``2022-12A-10``), or else the ``id``."""
    return record_files.drafts(records, _draft_of)


def _draft_of(record: Record) -> TaskDraft:
    row = msgspec.convert(record.value, OfficialRow)
    return task_draft(row, number=record.number, place=record.place)


def task_draft(row: OfficialRow, *, number: int = 0, place: str = "") -> TaskDraft:
    """``number`` is the key of a row that has neither address nor ``id``. Raises ``ValueError``."""
    where = _contest.place_of(row.url)
    own = str(number if row.id is None else row.id)
    gold = GoldDraft(answer=plain_number(row.answer), solution=row.solution or "", source=place)
    return _contest.task_draft(
        key=where.key if where else own,
        problem=row.problem or row.question,
        gold=gold,
        contest="amc",
        place=where,
        last_number=LAST_NUMBER,
    )


def plain_number(answer: float | str) -> str:
    """142.0 is ``142`` and 0.5 is ``0.5``. ``ValueError`` for anything but a finite number."""
    try:
        number = float(answer)
        whole = int(number)
    except (ValueError, OverflowError):
        raise ValueError(f"the answer {str(answer)[:80]!r} is not a number") from None
    return str(whole) if number == whole else str(number)


SAMPLES = (
    OfficialRow(
        id="starter-1",
        problem=r"For how many integers $n$ with $1 \le n \le 100$ is $n^2 + n$ divisible by $6$?",
        answer=66.0,
        solution=r"$n(n+1)$ is always even, and $3$ divides it unless $n$ leaves remainder $1$ on division "
        r"by $3$. From $1$ to $100$ there are $34$ such numbers, so $100 - 34 = 66$ remain.",
    ),
    OfficialRow(
        id="starter-2",
        problem=r"Two fair six-sided dice are rolled. The probability that the larger of the two numbers is "
        r"exactly $4$ (both may be $4$) is $\frac{m}{n}$, an irreducible fraction. What is the value of "
        r"$m + n$?",
        answer=43.0,
        solution=r"Both numbers are at most $4$ in $16$ cases and at most $3$ in $9$ of them, so the "
        r"probability is $\frac{7}{36}$ and $m + n = 43$.",
    ),
    OfficialRow(
        id="starter-3",
        problem=r"What is the product of all real numbers $x$ with $\log_2 x \cdot \log_4 x = 8$?",
        answer=1.0,
        solution=r"With $y = \log_2 x$ the equation is $\frac{y^2}{2} = 8$, so $y = \pm 4$ and $x$ is $16$ "
        r"or $\frac{1}{16}$. Their product is $1$.",
    ),
)

benchmarks.register(
    "amc",
    BenchmarkPlugin(
        id="amc",
        title="AMC 12: contest problems with numbers as answers",
        kind=kinds.FREE_ANSWER,
        license="Apache-2.0 (the set); the problems are the Mathematical Association of America's",
        source="https://huggingface.co/datasets/AI-MO/aimo-validation-amc",
        verifier_official="numeric-v1",
        verifier_training="numeric-v1",
        splits=("validation",),
        rows=rows,
        samples=tuple(task_draft(row) for row in SAMPLES),
        hub=HubSource(repo="AI-MO/aimo-validation-amc", files={"validation": ("data/*.parquet",)}),
    ),
)
