"""ChartQA: questions about charts, from the official tree or the hub."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from core.errors import GymError
from tasks_app.models import Task
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, TaskDraft
from tests.tasks_app import samples, samples_pictures
from tests.tasks_app.test_benchmarks import drafts
from tests.tasks_app.test_loader import load, snapshot

CHARTS = [
    {"imgname": "one.png", "query": "How many?", "label": "1.216666667"},
    {"imgname": "one.png", "query": " Which colour? ", "label": "green line"},
    {"imgname": "two.png", "query": "What share?", "label": "0.01"},
]


def chartqa_tree(root: Path) -> Path:
    """The full download: charts, questions, and next to them tables and annotations."""
    root = root / "ChartQA Dataset"
    for split, rows in (("train", CHARTS), ("test", CHARTS[:2])):
        folder = root / split
        for name in ("png", "tables", "annotations"):
            (folder / name).mkdir(parents=True)
        for width, name in enumerate(("one", "two"), start=1):
            (folder / "png" / f"{name}.png").write_bytes(samples_pictures.picture(width))
            (folder / "tables" / f"{name}.csv").write_text('Year,"Bro"ken\n2000,1\n')
            (folder / "annotations" / f"{name}.json").write_text("{not json")
        (folder / f"{split}_human.json").write_text(json.dumps(rows[1:]))
        (folder / f"{split}_augmented.json").write_text(json.dumps(rows[:1]))
    return root


def test_chartqa_keys_name_the_author_and_the_number_in_the_file(tmp_path: Path) -> None:
    root = chartqa_tree(tmp_path)
    plugin = benchmarks.get("chartqa")
    assert plugin.files is not None
    for split, keys in (
        ("train", ["augmented/1", "human/1", "human/2"]),
        ("test", ["augmented/1", "human/1"]),
    ):
        task_drafts = [draft for file in plugin.files(root, split) for draft in drafts("chartqa", file)]
        assert [draft.key for draft in task_drafts] == keys
        assert {draft.split for draft in task_drafts} == {split}
        assert [draft.tags for draft in task_drafts] == [(key.split("/")[0],) for key in keys]
    assert [file.parent for file in plugin.files(root / "test", "test")] == [root / "test"] * 2
    with pytest.raises(GymError, match="val_human"):
        plugin.files(root, "val")


def test_chartqa_rows_are_picture_questions_with_unchanged_labels(tmp_path: Path) -> None:
    task_drafts = drafts("chartqa", chartqa_tree(tmp_path) / "train" / "train_human.json")
    assert [(draft.kind, draft.payload, draft.gold.answer) for draft in task_drafts] == [
        ("picture", {"text": "Which colour?", "format": "plain"}, "green line"),
        ("picture", {"text": "What share?", "format": "plain"}, "0.01"),
    ]
    assert [samples_pictures.widths(draft) for draft in task_drafts] == [[1], [2]]
    assert [draft.gold.extra for draft in task_drafts] == [
        {"question": "Which colour?"},
        {"question": "What share?"},
    ]


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"imgname": "../png/one.png"}, "is not a file name"),
        ({"imgname": "three.png"}, "there is no picture 'three.png'"),
        ({"query": " "}, "question is empty"),
        ({"label": ""}, "label is empty"),
        ({"label": 5}, "Expected `str`"),
    ],
)
def test_an_unusable_chartqa_row_is_refused_with_a_reason(
    tmp_path: Path, changed: dict[str, Any], problem: str
) -> None:
    file = chartqa_tree(tmp_path) / "train" / "train_human.json"
    file.write_text(json.dumps([{**CHARTS[0], **changed}, CHARTS[0]]))
    bad, good = samples.read("chartqa", file)
    assert isinstance(bad, BadRow)
    assert isinstance(good, TaskDraft)
    assert problem in bad.problem
    assert (bad.place, good.key) == ("train_human.json:1", "human/2")


def test_a_chartqa_file_of_another_name_is_refused_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "questions.json").write_text(json.dumps(CHARTS[:1]))
    (row,) = samples.read("chartqa", tmp_path / "questions.json")
    assert isinstance(row, BadRow)
    assert "test_human.json" in row.problem


def test_chartqa_rows_of_the_hub_have_keys_that_no_file_has(tmp_path: Path) -> None:
    rows = [
        {"image": samples_pictures.cell(1), "query": "How many?", "label": ["3"], "human_or_machine": 0},
        {"image": samples_pictures.cell(2), "query": "Which?", "label": ["a", "b"], "human_or_machine": 1},
    ]
    path = samples_pictures.parquet(tmp_path / "data" / "test-00000-of-00001.parquet", *rows)
    task_drafts = drafts("chartqa", path)
    assert [(draft.key, draft.tags, draft.split) for draft in task_drafts] == [
        ("human/row-1", ("human",), None),
        ("augmented/row-2", ("augmented",), None),
    ]
    assert [(draft.gold.answer, draft.gold.accepted) for draft in task_drafts] == [("3", ()), ("a", ("b",))]
    assert [samples_pictures.widths(draft) for draft in task_drafts] == [[1], [2]]
    plugin = benchmarks.get("chartqa")
    assert plugin.files is not None
    assert plugin.files(tmp_path, "test") == [path]


@pytest.mark.django_db
def test_pictures_are_stored_once_and_loading_again_changes_nothing(tmp_path: Path) -> None:
    root = chartqa_tree(tmp_path)
    load("chartqa", "--file", root, "--split", "train")
    before = snapshot()
    load("chartqa", "--file", root, "--split", "train")
    assert snapshot() == before
    shown = [task.payload["pictures"] for task in Task.objects.order_by("key")]
    assert [[(one["name"], one["width"]) for one in task] for task in shown] == [
        [("figure-1", 1)],
        [("figure-1", 1)],
        [("figure-1", 2)],
    ]
    assert shown[0] == shown[1]


@pytest.mark.django_db
def test_a_broken_picture_is_a_bad_row_and_the_others_are_loaded(tmp_path: Path) -> None:
    root = chartqa_tree(tmp_path)
    (root / "train" / "png" / "two.png").write_bytes(b"<svg/>")
    with pytest.raises(CommandError, match="1 bad rows skipped; the other 2 were loaded"):
        load("chartqa", "--file", root, "--split", "train")
    assert Task.objects.count() == 2
