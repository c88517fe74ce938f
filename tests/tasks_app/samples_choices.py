"""Hand-written files in the official formats of MMLU, ARC, SciQ and ScienceQA."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from PIL import Image

ANATOMY = [
    ["How many bones, about, has a grown person?", "56", "106", "206", "406", "C"],
    [
        'Which of these is "hollow",\r\nin the words of the text?',
        "a nail",
        "a lung ",
        "hair",
        "none of the above",
        "B",
    ],
]
PRICES = [["Tea was $4 and is $5 now. It rose by", "$1, or 20%", "$1, or 25%", "$5", "$9", "B"]]

MMLU_HUB = [
    {"question": row[0], "subject": "anatomy", "choices": row[1:-1], "answer": "ABCD".index(row[-1])}
    for row in ANATOMY
]

ARC = [
    {
        "id": "MCAS_2007_8_5180",
        "question": {
            "stem": "What falls faster in a vacuum?",
            "choices": [
                {"text": "a stone", "label": "1"},
                {"text": "a feather", "label": "2"},
                {"text": "neither", "label": "3"},
            ],
        },
        "answerKey": "3",
    },
    {
        "id": "Mercury_401402",
        "question": {
            "stem": "Which of these is a star?",
            "choices": [
                {"text": "Mars", "label": "A"},
                {"text": "the Moon", "label": "B"},
                {"text": "Venus", "label": "C"},
                {"text": "Ceres", "label": "D"},
                {"text": "the Sun", "label": "E"},
            ],
        },
        "answerKey": "E",
    },
]


def arc_hub(row: dict[str, Any]) -> dict[str, Any]:
    """Return the same row in the format of the Hugging Face hub."""
    choices = row["question"]["choices"]
    return {
        "id": row["id"],
        "question": row["question"]["stem"],
        "choices": {name: [choice[name] for choice in choices] for name in ("text", "label")},
        "answerKey": row["answerKey"],
    }


SCIQ = [
    {
        "question": "What do bees gather?",
        "distractor3": "wax",
        "distractor1": "resin",
        "distractor2": "silk",
        "correct_answer": "nectar",
        "support": "Bees visit flowers for nectar.",
    },
    {
        "question": "Which of these is a metal?",
        "distractor3": "glass",
        "distractor1": "wood",
        "distractor2": "all of the above",
        "correct_answer": "tin",
        "support": "",
    },
]

PROBLEM = {
    "question": "Which is longer?",
    "choices": ["a river", "a brook"],
    "answer": 0,
    "hint": "Rivers are fed by brooks.",
    "image": None,
    "task": "closed choice",
    "grade": "grade4",
    "subject": "social science",
    "topic": "geography",
    "category": "Water",
    "skill": "Compare waters",
    "lecture": "Waters flow together.",
    "solution": "Many brooks make a river.",
    "split": "train",
}


def problem(**changes: Any) -> dict[str, Any]:
    return {**PROBLEM, **changes}


def scienceqa_folder(root: Path, problems: dict[str, Any]) -> Path:
    """Write ``problems.json`` and, next to it, the official file of splits."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "problems.json").write_text(json.dumps(problems))
    (root / "pid_splits.json").write_text(json.dumps({"train": list(problems), "val": [], "test": []}))
    return root


def picture(path: Path, color: str = "red") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (4, 3), color).save(path, "PNG")
    return path


def csv_file(path: Path, rows: Iterable[Iterable[str]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return path


def json_file(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


def parquet_file(path: Path, rows: list[dict[str, Any]]) -> Path:
    import pyarrow
    from pyarrow import parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path
