from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tasks_app.models import Task
from tasks_app.registry import benchmarks
from tasks_app.types import GoldDraft, TaskDraft
from tasks_app.wording_errata import FOLDER, TAG, load_errata, rows_corrected
from tests.tasks_app.test_loader import load

OFFICIAL = {
    "task_id": 601,
    "text": load_errata("mbpp")[0].text,
    "code": "def chain(pairs):\r\n    return len(pairs)",
    "test_list": ["assert chain([1, 2]) == 2", "assert chain([]) == 0", "assert chain([3]) == 1"],
    "pairs": [["chain([])", "0"]],
}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "is_corrected"), [({}, True), ({"text": "Already mended."}, False), ({"task_id": 602}, False)]
)
def test_an_official_text_is_reworded_at_loading(
    tmp_path: Path, change: dict[str, object], is_corrected: bool
) -> None:
    path = tmp_path / "mbpp.jsonl"
    path.write_text(json.dumps({**OFFICIAL, **change}))
    load("mbpp", "--file", path, "--split", "train")

    task = Task.objects.get()
    assert (TAG in task.tags) is is_corrected
    assert ("Pair(a, b) has the attributes a and b" in task.prompt) is is_corrected
    assert task.prompt.startswith(task.payload["text"])
    assert task.golds.get().answer.startswith("def chain")


def test_a_question_that_needs_no_figure_any_more_is_eligible_for_the_modality_gap() -> None:
    erratum = next(one for one in load_errata("amc") if one.is_complete)
    draft = TaskDraft(
        key=erratum.key or "",
        payload={"text": erratum.text},
        gold=GoldDraft(answer="5"),
        gap_reason="a figure",
    )
    other = replace(draft, key="another")
    assert [one.gap_eligible for one in rows_corrected([draft, other], benchmark="amc")] == [True, False]


def test_a_question_that_nobody_can_answer_is_marked_and_out_of_gaps() -> None:
    erratum = next(one for one in load_errata("mmlu") if not one.instead)
    draft = TaskDraft(key=erratum.key or "", payload={"text": erratum.text}, gold=GoldDraft(answer="A"))
    other = replace(draft, key="another")
    marked, unchanged = rows_corrected([draft, other], benchmark="mmlu")
    assert isinstance(marked, TaskDraft)
    assert (marked.tags, marked.gap_reason) == (("unanswerable",), erratum.reason)
    assert unchanged == other


def test_every_file_of_errata_belongs_to_a_benchmark_and_changes_something() -> None:
    for path in FOLDER.iterdir():
        assert path.stem in benchmarks
        for erratum in load_errata(path.stem):
            assert erratum.text != erratum.instead
            assert erratum.reason
