"""The same records in the shapes that copies of official files have: other suffixes, wrappers, CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError

from tasks_app.models import Task
from tasks_app.types import BadRow, TaskDraft
from tests.tasks_app import samples
from tests.tasks_app.test_benchmarks import drafts
from tests.tasks_app.test_loader import load, snapshot

ROWS = [
    {"question": "Ann has 3 bags of 6 nuts. How many?", "answer": "3*6=18\n#### 18"},
    {"question": "Bo has 4 bags, of 5 nuts each. How many?", "answer": "4*5=20\n#### 20"},
]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)
SHAPES = {
    "test.json": LINES,
    "test.ndjson": LINES,
    "blank lines.json": "\n\n" + LINES.replace("\n", "\n\n"),
    "list.jsonl": json.dumps(ROWS, indent=1),
    "wrapped.json": json.dumps({"version": 1, "data": ROWS}),
    "viewer.json": json.dumps({"rows": [{"row_idx": n, "row": row} for n, row in enumerate(ROWS)]}),
}


def written_csv(path: Path, rows: Sequence[Mapping[str, Any]], *, names: Sequence[str] = ()) -> Path:
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(names or rows[0])
        writer.writerows(row.values() for row in rows)
    return path


def read(benchmark: str, path: Path) -> list[tuple[str, str]]:
    rows = samples.read(benchmark, path)
    assert not [row for row in rows if isinstance(row, BadRow)]
    return [(row.key, row.gold.answer) for row in rows if isinstance(row, TaskDraft)]


@pytest.mark.parametrize("name", SHAPES)
def test_records_are_read_by_what_a_file_holds(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(SHAPES[name])
    assert read("gsm8k", tmp_path / name) == [("1", "18"), ("2", "20")]


def test_a_csv_with_the_official_names_gives_the_same_keys(tmp_path: Path) -> None:
    assert read("gsm8k", written_csv(tmp_path / "main_test.csv", ROWS)) == [("1", "18"), ("2", "20")]


def test_a_broken_line_among_lines_costs_itself_alone(tmp_path: Path) -> None:
    (tmp_path / "test.json").write_text(LINES + "{broken\n")
    *good, bad = samples.read("gsm8k", tmp_path / "test.json")
    assert len(good) == 2
    assert isinstance(bad, BadRow)
    assert bad.place == "test.json:3"


@pytest.mark.parametrize("text", ["", "\n", "{", "[1,"])
def test_a_file_that_holds_no_value_gives_no_record(tmp_path: Path, text: str) -> None:
    (tmp_path / "test.json").write_text(text)
    assert all(isinstance(row, BadRow) for row in samples.read("gsm8k", tmp_path / "test.json"))


def test_all_problems_of_math_in_one_file_have_keys_of_their_own(tmp_path: Path) -> None:
    path = samples.jsonl(tmp_path / "train.json", samples.MATH)
    keys = [draft.key for draft in drafts("math", path)]
    assert keys == [str(number) for number in range(1, len(samples.MATH) + 1)]


def test_numbers_and_lists_in_cells_are_read(tmp_path: Path) -> None:
    tests = ["assert double(2) == 4", "assert double(30) == 60"]
    row = {
        "task_id": 601,
        "text": "Double it.",
        "code": "def double(x):\n    return 2 * x",
        "test_list": tests,
    }
    for number, written in enumerate((json.dumps(tests), repr(tests))):
        path = written_csv(tmp_path / f"mbpp{number}.csv", [{**row, "test_list": written}])
        (draft,) = drafts("mbpp", path)
        assert (draft.key, draft.gold.extra["tests"]) == ("601", tests)


def test_columns_may_be_written_with_other_capitals(tmp_path: Path) -> None:
    path = written_csv(tmp_path / "test.csv", ROWS, names=["Question", "ANSWER"])
    assert read("gsm8k", path) == [("1", "18"), ("2", "20")]


def test_a_line_of_names_shifts_no_key_of_mmlu(tmp_path: Path) -> None:
    row = '"Which is a bone?",Femur,Liver,Skin,Blood,A\n'
    keys = []
    for head in ("", "question,A,B,C,D,answer\n", "prompt,a,b,c,d,target\n"):
        path = tmp_path / "anatomy_test.csv"
        path.write_text(head + row)
        keys.append(read("mmlu", path))
    assert keys == [[("anatomy/1", "A")]] * 3


@pytest.mark.parametrize(
    ("benchmark", "written", "answer"),
    [
        ("aime", "336^\\circ", "336"),
        ("aime", "$336^{\\circ}$", "336"),
        ("aime", "70\N{DEGREE SIGN}", "70"),
        ("aime", "\\boxed{025}", "25"),
        ("aime", 588, "588"),
        ("amc", "$72^\\circ$", "72"),
        ("amc", "-0.5", "-0.5"),
    ],
)
def test_an_answer_may_be_written_as_a_formula_or_in_degrees(
    tmp_path: Path, benchmark: str, written: str | int, answer: str
) -> None:
    path = samples.jsonl(tmp_path / "test.jsonl", [{"question": "How large is it?", "answer": written}])
    assert read(benchmark, path) == [("1", answer)]


@pytest.mark.parametrize("written", ["12^2", "1000", "-3", "12 or", "x", "3.5", ""])
def test_an_answer_that_is_no_integer_of_three_digits_is_refused(tmp_path: Path, written: str) -> None:
    path = samples.jsonl(tmp_path / "test.jsonl", [{"question": "How many?", "answer": written}])
    assert [isinstance(row, BadRow) for row in samples.read("aime", path)] == [True]


@pytest.mark.parametrize(
    ("written", "answer"), [("18 dollars", "18"), ("$18", "18"), ("1,250.", "1250"), ("5%", "5")]
)
def test_what_follows_a_number_of_gsm8k_is_left_out_as_by_its_official_reader(
    tmp_path: Path, written: str, answer: str
) -> None:
    path = samples.jsonl(
        tmp_path / "test.jsonl", [{"question": "How many?", "answer": f"So.\n#### {written}"}]
    )
    assert read("gsm8k", path) == [("1", answer)]


def test_files_named_after_papers_have_their_keys(tmp_path: Path) -> None:
    row = {"question": "How many?", "answer": "7"}
    keys = [
        read("aime", samples.jsonl(tmp_path / f"aime2025-{paper}.jsonl", [row, row])) for paper in ("I", "II")
    ]
    assert keys == [[("2025-I-1", "7"), ("2025-I-2", "7")], [("2025-II-1", "7"), ("2025-II-2", "7")]]


@pytest.mark.django_db
def test_a_second_file_of_a_split_does_not_overwrite_the_first(tmp_path: Path) -> None:
    first = samples.jsonl(tmp_path / "train_a.jsonl", samples.GSM8K)
    second = samples.jsonl(tmp_path / "train_b.jsonl", ROWS)
    load("gsm8k", "--file", first)
    before = snapshot()
    with pytest.raises(CommandError, match="2 bad rows"):
        load("gsm8k", "--file", second)
    assert snapshot() == before
    load("gsm8k", "--file", second, "--replace")
    assert Task.objects.get(key="1").prompt == ROWS[0]["question"]


@pytest.mark.django_db
def test_a_copy_of_a_file_under_another_name_changes_nothing(tmp_path: Path) -> None:
    load("gsm8k", "--file", samples.jsonl(tmp_path / "train_a.jsonl", samples.GSM8K))
    before = snapshot()
    load("gsm8k", "--file", samples.jsonl(tmp_path / "train_copy.jsonl", samples.GSM8K))
    assert snapshot() == before


@pytest.mark.django_db
def test_two_files_of_a_folder_are_numbered_through(tmp_path: Path) -> None:
    samples.jsonl(tmp_path / "train_a.jsonl", samples.GSM8K)
    samples.jsonl(tmp_path / "train_b.jsonl", ROWS)
    load("gsm8k", "--file", tmp_path, "--split", "train")
    assert sorted(Task.objects.values_list("key", flat=True)) == ["1", "2", "3", "4", "5"]
