"""GSM8K: grade-school word problems (Cobbe et al. 2021, arXiv:2110.14168).

Official file: one JSON object per line with ``question`` and ``answer``; the answer is worked steps with
calculator marks ``<<48/2=24>>``, then a last line ``#### 24``. Official check, in the repository's
``grade_school_math/dataset.py``: the number after ``####``, commas removed, must be the same string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from tasks_app import kinds, record_files
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, BenchmarkPlugin, GoldDraft, HubSource, Record, Row, TaskDraft

ANSWER_MARK = re.compile(r"^####\s*(-?[0-9.,]+)\s*$", re.MULTILINE)
CALCULATION = re.compile(r"<<[^<>]*>>")
NUMBER = re.compile(r"-?\d+(\.\d+)?")
# The paper: "problems take between 2 and 8 steps to solve"; a line of the solution is a step.
FEWEST_STEPS = 2
MOST_STEPS = 8


class OfficialRow(msgspec.Struct):
    question: str
    answer: str


def rows(records: Iterator[Record | BadRow]) -> Iterator[Row]:
    """One draft per row; the key is the row's number in the official file."""
    return record_files.drafts(records, _draft_of)


def _draft_of(record: Record) -> TaskDraft:
    row = msgspec.convert(record.value, OfficialRow)
    return task_draft(row, key=str(record.number), place=record.place)


def task_draft(row: OfficialRow, *, key: str, place: str = "") -> TaskDraft:
    """``ValueError`` when the answer has no final number. Dollars are money here, so the text is plain."""
    text = row.question.strip()
    if not text:
        raise ValueError("the question is empty")
    answer = final_number(row.answer)
    solution = worked_steps(row.answer)
    return TaskDraft(
        key=key,
        prompt=text,
        payload={"text": text, "format": "plain"},
        gold=GoldDraft(answer=answer, solution=solution, extra={"annotated": row.answer}, source=place),
        difficulty=difficulty(solution),
        tags=("arithmetic", "word-problem"),
        place=place,
    )


def final_number(answer: str) -> str:
    """The number after ``####``, commas removed; ``ValueError`` when there is none."""
    match = ANSWER_MARK.search(answer)
    number = match.group(1).replace(",", "") if match else ""
    if not NUMBER.fullmatch(number):
        raise ValueError("the answer does not end in a line '#### <number>'")
    return number


def worked_steps(answer: str) -> str:
    return CALCULATION.sub("", ANSWER_MARK.sub("", answer)).strip()


def difficulty(solution: str) -> float:
    """The number of steps of the official solution: 2 or fewer is 0, 8 or more is 1."""
    steps = sum(1 for line in solution.splitlines() if line.strip())
    return (min(max(steps, FEWEST_STEPS), MOST_STEPS) - FEWEST_STEPS) / (MOST_STEPS - FEWEST_STEPS)


SAMPLES = (
    OfficialRow(
        "A baker fills 12 trays with 8 rolls each and sells all but 15 of them at $2 a roll. "
        "How many dollars does she take in?",
        "She bakes 12*8=<<12*8=96>>96 rolls.\nShe sells 96-15=<<96-15=81>>81 of them.\n"
        "She takes in 81*2=$<<81*2=162>>162.\n#### 162",
    ),
    OfficialRow(
        "Nadia walks to school in 18 minutes and cycles back in a third of that time. "
        "How many minutes is she under way in a week of five school days?",
        "Cycling back takes 18/3=<<18/3=6>>6 minutes.\nA day takes 18+6=<<18+6=24>>24 minutes.\n"
        "Five days take 5*24=<<5*24=120>>120 minutes.\n#### 120",
    ),
    OfficialRow(
        "A tank holds 2,400 litres. In the morning 35% of it is used, in the afternoon half of what is left. "
        "How many litres remain?",
        "In the morning 2400*0.35=<<2400*0.35=840>>840 litres are used.\n"
        "That leaves 2400-840=<<2400-840=1560>>1560 litres.\n"
        "In the end 1560/2=<<1560/2=780>>780 litres remain.\n#### 780",
    ),
)

benchmarks.register(
    "gsm8k",
    BenchmarkPlugin(
        id="gsm8k",
        title="GSM8K: grade-school word problems",
        kind=kinds.FREE_ANSWER,
        license="MIT",
        source="https://github.com/openai/grade-school-math",
        verifier_official="numeric-v1",
        verifier_training="numeric-v1",
        splits=("train", "test"),
        rows=rows,
        samples=tuple(task_draft(row, key=f"starter-{n}") for n, row in enumerate(SAMPLES, start=1)),
        hub=HubSource(
            repo="openai/gsm8k", files={"train": ("main/train-*.parquet",), "test": ("main/test-*.parquet",)}
        ),
    ),
)
