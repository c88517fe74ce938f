from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import GymError
from tasks_app import sources
from tasks_app.registry import benchmarks
from tests.tasks_app import samples
from validation.benchmarks import splits


def _counts(benchmark: str, folder: Path) -> dict[str, tuple[int, int]]:
    by_split = splits.splits_in(benchmarks.get(benchmark), folder)
    return {split.name: (len(split.drafts), len(split.bad)) for split in by_split}


def test_files_determine_their_split_and_trees_that_of_each_row(tmp_path: Path) -> None:
    samples.math_tree(tmp_path)
    samples.jsonl(tmp_path / "train.jsonl", [samples.MATH[0], "{"])
    assert _counts("math", tmp_path) == {"train": (3, 1), "test": (1, 0)}


def test_rows_that_name_their_split_are_separated(tmp_path: Path) -> None:
    row = {
        "text": "Write a function that doubles.",
        "code": "def f(a):\n    return a * 2",
        "test_list": ["assert f(1) == 2"],
        "test_setup_code": "",
        "challenge_test_list": [],
    }
    rows = [{**row, "task_id": number} for number in (2, 3, 700)]
    samples.jsonl(tmp_path / "mbpp.jsonl", rows)
    assert _counts("mbpp", tmp_path) == {"prompt": (2, 0), "train": (1, 0)}


def test_a_split_without_files_is_refused_with_a_list_of_the_others(tmp_path: Path) -> None:
    samples.jsonl(tmp_path / "data" / "pristine-seen-tables.tsv", [])
    samples.jsonl(tmp_path / "data" / "training.tsv", [])
    with pytest.raises(GymError) as caught:
        sources.split_files(benchmarks.get("wikitable"), tmp_path, split="pristine-seen")
    assert caught.value.code == "no_file"
    assert "neither data/pristine-seen.tsv nor pristine-seen.tsv." in caught.value.message
    ending = "Available: training, pristine-seen-tables; choose with --split."
    assert caught.value.message.endswith(ending)


def test_the_error_for_a_folder_without_splits_lists_none(tmp_path: Path) -> None:
    with pytest.raises(GymError) as caught:
        sources.split_files(benchmarks.get("wikitable"), tmp_path, split="training")
    assert caught.value.message.endswith("contains neither data/training.tsv nor training.tsv.")


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    for benchmark in ("gsm8k", "wikitable"):
        with pytest.raises(GymError, match=r"(?:contains|holds) n"):
            _counts(benchmark, tmp_path)


@pytest.mark.parametrize(
    ("benchmark", "counts"),
    [
        ("gsm8k", {"train": 500}),
        ("math", {"train": 504}),
        ("aime", {"1983-2024": 400, "validation": 30}),
        ("mmlu", {"dev": 285, "val": 1531}),
        ("wikitable", {"training": 300, "pristine-seen-tables": 120}),
        ("scienceqa", {"train": 250, "val": 50, "test": 65}),
        ("arc", {"train": 500, "dev": 100}),
    ],
)
def test_every_row_of_the_official_samples_is_read_once(benchmark: str, counts: dict[str, int]) -> None:
    folder = samples.shared(benchmarks.get(benchmark).folder or benchmark)
    assert _counts(benchmark, folder) == {split: (count, 0) for split, count in counts.items()}


def test_file_names_give_the_split_if_the_rows_do_not(tmp_path: Path) -> None:
    train = samples.jsonl(tmp_path / "train.jsonl", samples.GSM8K)
    test = samples.jsonl(tmp_path / "test.jsonl", samples.GSM8K)
    gsm8k = benchmarks.get("gsm8k")
    assert sources.split_files(gsm8k, tmp_path, split="train") == [train]
    assert sources.split_files(gsm8k, tmp_path, split="test") == [test]
    test.unlink()
    with pytest.raises(GymError, match=r"no file of the split 'test'\. Available: train"):
        sources.split_files(gsm8k, tmp_path, split="test")
    assert sources.split_files(gsm8k, train, split="test") == [train]
