r"""AIME: fifteen contest problems a paper, each with an integer from 0 to 999 as answer.

Official files: the CSV of 1983 to 2024 (``di-zhang-fdu/AIME_1983_2024``: ``ID``, ``Year``,
``Problem Number``, ``Question``, ``Answer``, ``Part``, which is empty before 2000), and JSON lines or
Parquet with ``id``, ``problem``, ``solution``, ``answer`` and ``url`` (``AI-MO/aimo-validation-aime`` of
2022 to 2024, ``HuggingFaceH4/aime_2024``, ``math-ai/aime25``). The same problem has the same key in every
split. Check: the same integer; answer sheets have three digits, so 025 is 25. A cell may name two answers
that were accepted: "080 or 081 (both were accepted)".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from tasks_app import kinds, record_files
from tasks_app.benchmarks import _contest
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, BenchmarkPlugin, GoldDraft, HubSource, Record, Row, TaskDraft

LAST_NUMBER = 15
ANSWERS = re.compile(r"\s*(\d{1,3}(?:\s+or\s+\d{1,3})*)\s*(?:\([a-z ]*\baccepted\))?\s*", re.ASCII)


class CsvRow(msgspec.Struct, rename={"year": "Year", "question": "Question", "answer": "Answer"}):
    year: int
    number: int = msgspec.field(name="Problem Number")
    question: str
    answer: str
    id: str = msgspec.field(name="ID")
    part: str = msgspec.field(name="Part", default="")


class OfficialRow(msgspec.Struct):
    answer: str | int
    problem: str = ""
    question: str = ""
    id: int | str | None = None
    url: str = ""
    solution: str | None = None


def rows(records: Iterator[Record | BadRow]) -> Iterator[Row]:
    """One draft per row; the key is year, paper and number (``1983-4``, ``2022-II-8``), or the ``id``."""
    return record_files.drafts(record_files.with_header(records), _draft_of)


def _draft_of(record: Record) -> TaskDraft:
    if record.file.suffix == ".csv":
        return csv_draft(msgspec.convert(record.value, CsvRow, strict=False), place=record.place)
    row = msgspec.convert(record.value, OfficialRow)
    return task_draft(row, number=record.number, place=record.place)


def csv_draft(row: CsvRow, *, place: str) -> TaskDraft:
    """Raises ``ValueError`` for an empty problem, an unknown number or an answer that is none."""
    where = _contest.Place(row.year, row.part.strip(), row.number)
    return _draft(key=row.id, problem=row.question, gold=_gold(row.answer, source=place), where=where)


def task_draft(row: OfficialRow, *, number: int = 0, place: str = "") -> TaskDraft:
    """``number`` is the key of a row that has neither address nor ``id``. Raises ``ValueError``."""
    where = _contest.place_of(row.url)
    own = str(number if row.id is None else row.id)
    gold = _gold(str(row.answer), source=place, solution=row.solution or "")
    key = where.key if where else own
    return _draft(key=key, problem=row.problem or row.question, gold=gold, where=where)


def _draft(*, key: str, problem: str, gold: GoldDraft, where: _contest.Place | None) -> TaskDraft:
    return _contest.task_draft(
        key=key, problem=problem, gold=gold, contest="aime", place=where, last_number=LAST_NUMBER
    )


def _gold(cell: str, *, source: str, solution: str = "") -> GoldDraft:
    answer, *others = accepted_answers(cell)
    return GoldDraft(answer=answer, accepted=tuple(others), solution=solution, source=source)


def accepted_answers(cell: str) -> list[str]:
    """The integers that an answer cell names, without leading zeros. ``ValueError`` when it is none."""
    match = ANSWERS.fullmatch(cell)
    if match is None:
        raise ValueError(f"the answer {cell[:80]!r} is not an integer from 0 to 999")
    return [str(int(answer)) for answer in re.findall(r"\d+", match.group(1))]


SAMPLES = (
    OfficialRow(
        id="starter-1",
        problem=r"Find the number of ordered pairs $(a, b)$ of positive integers with $ab = 2^4 \cdot 3^2$ "
        r"for which $a$ is a multiple of $6$.",
        answer="008",
        solution=r"$a = 2^i 3^j$ with $1 \le i \le 4$ and $1 \le j \le 2$, and $b$ follows from $a$. "
        r"That makes $4 \cdot 2 = 008$ pairs.",
    ),
    OfficialRow(
        id="starter-2",
        problem=r"Let $S = 1 \cdot 2 + 2 \cdot 3 + 3 \cdot 4 + \cdots + 20 \cdot 21$. Find the remainder "
        r"when $S$ is divided by $1000$.",
        answer="080",
        solution=r"The sum of $k(k+1)$ for $k$ up to $n$ is $\frac{n(n+1)(n+2)}{3}$. For $n = 20$ it is "
        r"$\frac{20 \cdot 21 \cdot 22}{3} = 3080$, which leaves $080$.",
    ),
    OfficialRow(
        id="starter-3",
        problem=r"In triangle $ABC$ with $AB = 13$, $BC = 14$ and $CA = 15$, the altitude from $A$ meets "
        r"$BC$ at $D$. Find the square of the distance between the incenters of triangles $ABD$ and $ACD$.",
        answer="026",
        solution=r"$AD = 12$, $BD = 5$ and $DC = 9$, so the inradii are $\frac{5 + 12 - 13}{2} = 2$ and "
        r"$\frac{9 + 12 - 15}{2} = 3$. With $D$ as origin the incenters are $(-2, 2)$ and $(3, 3)$, and "
        r"$5^2 + 1^2 = 026$.",
    ),
)

benchmarks.register(
    "aime",
    BenchmarkPlugin(
        id="aime",
        title="AIME: contest problems with an integer from 0 to 999",
        kind=kinds.FREE_ANSWER,
        license="the problems are the Mathematical Association of America's; AIMO sets: Apache-2.0",
        source="https://huggingface.co/datasets/di-zhang-fdu/AIME_1983_2024",
        verifier_official="numeric-v1",
        verifier_training="numeric-v1",
        splits=("1983-2024", "validation", "2024", "2025"),
        rows=rows,
        samples=tuple(task_draft(row) for row in SAMPLES),
        hub=HubSource(
            repo="di-zhang-fdu/AIME_1983_2024",
            files={
                "1983-2024": ("*.csv",),
                "validation": ("data/*.parquet",),
                "2024": ("data/*.parquet",),
                "2025": ("test.jsonl",),
            },
            repos={
                "validation": "AI-MO/aimo-validation-aime",
                "2024": "HuggingFaceH4/aime_2024",
                "2025": "math-ai/aime25",
            },
        ),
    ),
)
