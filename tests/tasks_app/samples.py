"""Hand-written files in the official formats, and the paths of the real files, if they are available."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tasks_app import record_files
from tasks_app.registry import benchmarks
from tasks_app.types import Row

SHARED_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

GSM8K = [
    {
        "question": "Ines has 3 boxes of 12 pens and gives away 6 pens. How many pens are left?",
        "answer": "She has 3*12=<<3*12=36>>36 pens.\nThere are 36-6=<<36-6=30>>30 left.\n#### 30",
    },
    {
        "question": "A house costs $1,250,000 and loses 10% of its value. What is it worth now?",
        "answer": "It loses $<<1250000*0.1=125000>>125,000.\nIt is worth $1,125,000 now.\n#### 1,125,000",
    },
    {
        "question": "It is 2 degrees. It gets 5 degrees colder. How cold is it?",
        "answer": "One.\nTwo.\nThree.\nFour.\nFive.\nSix.\nSeven.\nEight.\nNine.\n#### -3",
    },
]

MATH = [
    {
        "problem": "What is $\\frac{1}{2} + \\frac{1}{3}$?",
        "level": "Level 1",
        "type": "Prealgebra",
        "solution": "Not $\\boxed{\\frac{2}{5}}$ but $\\boxed{\\frac{5}{6}}$.",
    },
    {
        "problem": "Find the set of all $x$ with $x^2 = 4$.\n\n[asy]\ndraw((0,0)--(1,1));\n[/asy]",
        "level": "Level 5",
        "type": "Intermediate Algebra",
        "solution": "It is $\\fbox{\\{-2, 2\\}}$.",
    },
    {
        "problem": "How many?",
        "level": "Level ?",
        "type": "Counting & Probability",
        "solution": "There are $\\boxed 7$ of them.",
    },
]

MATH500 = [
    {
        "problem": "What is $2 + 2$?",
        "solution": "It is $\\boxed{4}$.",
        "answer": "4",
        "subject": "Algebra",
        "level": 2,
        "unique_id": "test/algebra/1.json",
    }
]

AMC = [
    {
        "id": 0,
        "problem": "What is $\\frac{1}{2} \\cdot 8$?",
        "answer": 4.0,
        "url": "https://artofproblemsolving.com/wiki/index.php/2022_AMC_12A_Problems/Problem_1",
    },
    {
        "id": 7,
        "problem": "The diagram below shows a square of side $2$. What is its area, less $6$?",
        "answer": -2.0,
        "url": "https://artofproblemsolving.com/wiki/index.php/2023_AMC_12B_Problems/Problem_25",
    },
    {"id": 8, "question": "What is half of $1$?", "answer": 0.5, "solution": None},
]

AIME_CSV = """ID,Year,Problem Number,Question,Answer,Part
1983-1,1983,1,What is $2 + 2$ ?,4,
1983-4,1983,4,"A circle, as shown. [asy] draw((0,0)--(1,1)); label(""$A$"",A,NE); [/asy]
Find its area.",26,
2022-II-8,2022,8,Find $80$ or $81$ .,080 or 081 (both were accepted),II
"""

AIME = [
    {
        "id": 28,
        "problem": "Find $80$.",
        "solution": "It is $\\boxed{080}$.",
        "answer": "080",
        "url": "https://artofproblemsolving.com/wiki/index.php/2022_AIME_II_Problems/Problem_8",
    },
    {"id": "3", "problem": "Find the area of the second figure.", "answer": 5},
]


def jsonl(path: Path, rows: Iterable[Any]) -> Path:
    """Write a file with one JSON object per line; strings among the rows are written as they are."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    return path


def math_tree(root: Path) -> Path:
    """Write the original folder tree, ``MATH/<split>/<subject>/<n>.json``."""
    places = ["train/prealgebra/10", "train/prealgebra/9", "test/algebra/1"]
    for place, row in zip(places, MATH, strict=True):
        file = root / "MATH" / f"{place}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(row, indent=4))
    return root / "MATH"


def read(benchmark: str, path: Path) -> list[Row]:
    """Read a file or a folder in the same way as the command."""
    plugin = benchmarks.get(benchmark)
    has_own = plugin.files is not None and path.is_dir()
    files = plugin.files(path, plugin.splits[0]) if has_own else record_files.source_files(path)
    return list(record_files.drafts(plugin, files))


def shared(name: str) -> Path:
    """Return the path of a real official file; skip the test if the file is missing."""
    path = SHARED_DATA / name
    if not path.exists():
        pytest.skip(f"the official sample {path} is not on this machine")
    return path
