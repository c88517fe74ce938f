"""GSM8K: grade-school word problems (Cobbe et al. 2021, arXiv:2110.14168).

The official file has one JSON object per line with ``question`` and ``answer``. The answer is the worked
solution with calculator marks such as ``<<48/2=24>>``, followed by a last line ``#### 24``. The official
check, in the repository's ``grade_school_math/dataset.py``, is that the numbers after ``####`` are equal as
strings once commas are removed.
"""

from __future__ import annotations

import re

import msgspec

from tasks_app import kinds
from tasks_app.registry import benchmark_register
from tasks_app.solutions import lines
from tasks_app.types import BenchmarkPlugin, GoldDraft, HubSource, Record, TaskDraft

# Like the official reader, take the number and ignore what follows it, such as a unit. It may be negative.
ANSWER_MARK = re.compile(r"^####\s*\$?(-?[0-9.,]*[0-9])(?![0-9]).*$", re.MULTILINE)
CALCULATION = re.compile(r"<<[^<>]*>>")
NUMBER = re.compile(r"-?\d+(\.\d+)?")
# From the paper: "problems take between 2 and 8 steps to solve". A line of the solution counts as a step.
FEWEST_STEPS = 2
MOST_STEPS = 8


class OfficialRow(msgspec.Struct):
    question: str
    answer: str


def draft_of(record: Record) -> TaskDraft:
    """Build a draft whose key is the row's number.

    The text is plain because dollar signs mean money here. Raises ``ValueError`` for an empty question or an
    answer without its last line.
    """
    row = record.read(OfficialRow)
    text = row.question.strip()
    if not text:
        raise ValueError("the question is empty")
    answer = final_number(row.answer)
    solution = worked_steps(row.answer)
    return TaskDraft(
        key=str(record.number),
        prompt=text,
        payload={"text": text, "format": "plain"},
        gold=GoldDraft(answer=answer, solution=solution, extra={"annotated": row.answer}),
        difficulty=difficulty(solution),
        tags=("arithmetic", "word-problem"),
    )


def final_number(answer: str) -> str:
    """Return the number after ``####`` without commas. Raises ``ValueError`` if there is none."""
    match = ANSWER_MARK.search(answer)
    number = match.group(1).replace(",", "") if match else ""
    if not NUMBER.fullmatch(number):
        raise ValueError("the answer does not end in a line '#### <number>'")
    return number


def worked_steps(answer: str) -> str:
    return CALCULATION.sub("", ANSWER_MARK.sub("", answer)).strip()


def difficulty(solution: str) -> float:
    """Rate the difficulty by the number of steps in the official solution: 0 for up to 2, 1 for 8 or more."""
    steps = sum(1 for line in solution.splitlines() if line.strip())
    return (min(max(steps, FEWEST_STEPS), MOST_STEPS) - FEWEST_STEPS) / (MOST_STEPS - FEWEST_STEPS)


benchmark_register(
    BenchmarkPlugin(
        id="gsm8k",
        title="GSM8K: grade-school word problems",
        kind=kinds.FREE_ANSWER,
        license="MIT",
        source="https://github.com/openai/grade-school-math",
        verifier_official="numeric-v1",
        cut=lines.cut,
        splits=("train", "test"),
        draft_of=draft_of,
        hub=HubSource(
            repo="openai/gsm8k", files={"train": ("main/train-*.parquet",), "test": ("main/test-*.parquet",)}
        ),
    )
)
