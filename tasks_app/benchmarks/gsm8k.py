"""GSM8K: grade-school word problems (Cobbe et al. 2021, arXiv:2110.14168).

Official file: one JSON object per line with ``question`` and ``answer``; the answer is the worked steps with
calculator marks ``<<48/2=24>>``, then a last line ``#### 24``. Official check, in the repository's
``grade_school_math/dataset.py``: the number after ``####``, commas removed, must be the same string.
"""

from __future__ import annotations

import re

import msgspec

from tasks_app import kinds
from tasks_app.registry import benchmark_register
from tasks_app.solutions import lines
from tasks_app.types import BenchmarkPlugin, GoldDraft, HubSource, Record, TaskDraft

# The official reader takes the number and leaves what follows it, such as a unit; a sign before it occurs.
ANSWER_MARK = re.compile(r"^####\s*\$?(-?[0-9.,]*[0-9])(?![0-9]).*$", re.MULTILINE)
CALCULATION = re.compile(r"<<[^<>]*>>")
NUMBER = re.compile(r"-?\d+(\.\d+)?")
# The paper: "problems take between 2 and 8 steps to solve"; a line of the solution is a step.
FEWEST_STEPS = 2
MOST_STEPS = 8


class OfficialRow(msgspec.Struct):
    question: str
    answer: str


def draft_of(record: Record) -> TaskDraft:
    """Build a draft, whose key is the row's number. Dollars are money here, so the text is plain.

    Raises ``ValueError`` for an empty question or an answer without its last line.
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
    """Return the number after ``####``, commas removed. Raises ``ValueError`` when there is none."""
    match = ANSWER_MARK.search(answer)
    number = match.group(1).replace(",", "") if match else ""
    if not NUMBER.fullmatch(number):
        raise ValueError("the answer does not end in a line '#### <number>'")
    return number


def worked_steps(answer: str) -> str:
    return CALCULATION.sub("", ANSWER_MARK.sub("", answer)).strip()


def difficulty(solution: str) -> float:
    """Rate by the steps of the official solution: 2 or fewer is 0, 8 or more is 1."""
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
