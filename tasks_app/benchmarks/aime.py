r"""AIME: papers of fifteen contest problems, each answered by an integer from 0 to 999.

Official files are the CSV of 1983 to 2024 (``di-zhang-fdu/AIME_1983_2024`` with ``ID``, ``Year``,
``Problem Number``, ``Question``, ``Answer`` and ``Part``, which is empty before 2000), and JSON lines or
Parquet with ``id``, ``problem``, ``solution``, ``answer`` and ``url`` (``AI-MO/aimo-validation-aime`` of 2022
to 2024, ``HuggingFaceH4/aime_2024``, ``math-ai/aime25``). A problem has the same key in every split. The
official check compares integers, so 025, as on the three-digit answer sheets, equals 25. A cell may name two
accepted answers: "080 or 081 (both were accepted)".
"""

from __future__ import annotations

import re

import msgspec

from tasks_app import kinds
from tasks_app.benchmarks import _contest
from tasks_app.registry import benchmark_register
from tasks_app.solutions import sentences
from tasks_app.types import BenchmarkPlugin, HubSource, Record, TaskDraft

# File names of figures that are not part of the data.
FILE_NAME = re.compile(r"\s*AIME \d{4} (?:II? )?Problem \d+\.(?:png|gif)\b", re.ASCII)
ANSWERS = re.compile(r"\s*(\d{1,3}(?:\s+or\s+\d{1,3})*)\s*(?:\([a-z ]*\baccepted\))?\s*", re.ASCII)


class CsvRow(msgspec.Struct, rename={"year": "Year", "question": "Question", "answer": "Answer"}):
    year: int
    number: int = msgspec.field(name="Problem Number")
    question: str
    answer: str
    id: str = msgspec.field(name="ID")
    part: str = msgspec.field(name="Part", default="")


def accepted_answers(cell: int | float | str) -> list[str]:
    """List the integers in an answer cell, without leading zeros. Raises ``ValueError`` if it names none."""
    match = ANSWERS.fullmatch(_contest.bare(cell))
    if match is None:
        raise ValueError(f"the answer {str(cell)[:80]!r} is not an integer from 0 to 999")
    return [str(int(answer)) for answer in re.findall(r"\d+", match.group(1))]


AIME = _contest.Contest("aime", last_number=15, answers_of=accepted_answers)


def draft_of(record: Record) -> TaskDraft:
    """Build a draft whose key is year, paper and number (``1983-4``, ``2022-II-8``), or else the ``id``."""
    if record.file.suffix != ".csv":
        return AIME.draft_of(record)
    row = record.read(CsvRow)
    place = _contest.Place(row.year, row.part.strip(), row.number)
    return AIME.draft(key=row.id, problem=FILE_NAME.sub("", row.question), answer=row.answer, place=place)


benchmark_register(
    BenchmarkPlugin(
        id="aime",
        title="AIME: contest problems answered by integers from 0 to 999",
        kind=kinds.FREE_ANSWER,
        license="the problems belong to the Mathematical Association of America; AIMO sets: Apache-2.0",
        source="https://huggingface.co/datasets/di-zhang-fdu/AIME_1983_2024",
        verifier_official="numeric-v1",
        cut=sentences.cut,
        splits=("1983-2024", "validation", "2024", "2025"),
        draft_of=draft_of,
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
    )
)
