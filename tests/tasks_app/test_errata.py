from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tasks_app import selectors
from tasks_app.models import Gold, Task
from tests.tasks_app import samples
from tests.tasks_app.test_loader import load, snapshot

pytestmark = pytest.mark.django_db

HEAD = "benchmark,split,key,status,corrected_answer,source\n"


@pytest.fixture(autouse=True)
def loaded(tmp_path: Path) -> Path:
    path = samples.jsonl(tmp_path / "train.jsonl", samples.GSM8K)
    load("gsm8k", "--file", path)
    return path


def errata(path: Path) -> str:
    out = io.StringIO()
    call_command("load_benchmark", "--errata", str(path), stdout=out, stderr=out)
    return out.getvalue()


def csv(tmp_path: Path, *lines: str, head: str = HEAD) -> Path:
    path = tmp_path / "errata.csv"
    path.write_text(head + "".join(f"{line}\n" for line in lines))
    return path


def golds(key: str) -> list[tuple[Any, ...]]:
    versions = Gold.objects.filter(task__key=key).order_by("version")
    return list(versions.values_list("version", "is_current", "status", "answer", "source"))


def test_a_disputed_gold_is_marked_without_a_new_version(tmp_path: Path) -> None:
    output = errata(csv(tmp_path, "gsm8k,train,1,disputed,,Platinum 2025"))
    assert golds("1") == [(1, True, "disputed", "30", "train.jsonl:1; disputed by Platinum 2025")]
    assert "gsm8k/train/1: the gold is disputed." in output


def test_an_unanswerable_question_keeps_its_gold_and_is_given_to_nobody_who_does_not_ask(
    tmp_path: Path, loaded: Path
) -> None:
    path = csv(tmp_path, "gsm8k,train,1,unanswerable,,its table is missing")
    assert "gsm8k/train/1: the question is unanswerable." in errata(path)
    task = Task.objects.get(key="1")
    assert (task.tags[-1], task.gap_eligible) == ("unanswerable", False)
    assert "its table is missing" in task.gap_reason
    assert golds("1") == [(1, True, "valid", "30", "train.jsonl:1")]

    def listed(**filters: Any) -> set[str]:
        rows = selectors.task_list(selectors.TaskFilter(**filters), after=0, limit=10)
        return {json.loads(row.json)["key"] for row in rows}

    assert listed() == {"2", "3"}
    assert listed(tags=["unanswerable"]) == {"1"}
    assert listed(ids=[task.pk]) == {"1"}
    before = snapshot()
    errata(path)
    load("gsm8k", "--file", loaded)
    assert snapshot() == before


def test_a_corrected_gold_is_a_new_version_and_is_reported_without_its_answer(tmp_path: Path) -> None:
    output = errata(csv(tmp_path, "gsm8k,train,1,corrected,98765,Platinum 2025"))
    assert golds("1") == [
        (1, False, "valid", "30", "train.jsonl:1"),
        (2, True, "corrected", "98765", "Platinum 2025"),
    ]
    assert "gsm8k/train/1: the gold is corrected; version 2 is current." in output
    assert "98765" not in output


def test_a_corrected_gold_drops_the_wrong_solution_and_keeps_the_verifiers_data(tmp_path: Path) -> None:
    errata(csv(tmp_path, "gsm8k,train,1,corrected,31,P"))
    old, new = Gold.objects.filter(task__key="1").order_by("version")
    assert old.solution
    assert (new.solution, new.extra) == ("", old.extra)


def test_applying_again_changes_nothing_even_after_a_dispute_became_a_correction(tmp_path: Path) -> None:
    path = csv(
        tmp_path,
        "gsm8k,train,1,disputed,,P",
        "gsm8k,train,1,corrected,31,P",
        "gsm8k,train,2,disputed,,P",
        "gsm8k,train,3,disputed,,P",
        "gsm8k,train,3,corrected,-3,P",
    )
    errata(path)
    assert [gold[2] for key in "123" for gold in golds(key) if gold[1]] == [
        "corrected",
        "disputed",
        "corrected",
    ]
    before = snapshot()
    assert "0 golds disputed, 0 corrected, 5 unchanged; 0 questions unanswerable." in errata(path)
    assert snapshot() == before


def test_reloading_the_benchmark_undoes_no_erratum(tmp_path: Path, loaded: Path) -> None:
    errata(csv(tmp_path, "gsm8k,train,1,disputed,,P", "gsm8k,train,2,corrected,31,P"))
    before = snapshot()
    load("gsm8k", "--file", loaded)
    assert snapshot() == before


def test_a_line_that_cannot_be_applied_is_reported_and_the_rest_is_applied(tmp_path: Path) -> None:
    path = csv(
        tmp_path,
        "gsm8k,train,404,disputed,,P",
        "gsm9k,train,1,disputed,,P",
        "gsm8k,test,1,disputed,,P",
        "gsm8k,train,1,wrong,,P",
        "gsm8k,train,1,corrected,,P",
        "gsm8k,train,1,disputed,,",
        "gsm8k,train,2\0,disputed,,P",
        "gsm8k,train,3,disputed,,P",
        "gsm8k,,3,disputed,,P",
    )
    out = io.StringIO()
    with pytest.raises(CommandError, match="8 lines skipped; the others were applied"):
        call_command("load_benchmark", "--errata", str(path), stdout=out, stderr=out)
    for reason in (
        "errata.csv:2: no task gsm8k/train/404 is loaded",
        "errata.csv:3: no task gsm9k/train/1 is loaded",
        "errata.csv:4: no task gsm8k/test/1 is loaded",
        "errata.csv:5: Invalid enum value 'wrong'",
        "errata.csv:6: a corrected gold needs its corrected_answer",
        "errata.csv:7: Object missing required field `source`",
        "errata.csv:8: ",
        "errata.csv:10: an earlier line already marks gsm8k/3 as disputed",
    ):
        assert f"skipped {reason}" in out.getvalue()
    assert [gold[2] for key in "123" for gold in golds(key)] == ["valid", "valid", "disputed"]


def test_an_erratum_without_a_split_applies_to_every_split_with_its_key(tmp_path: Path, loaded: Path) -> None:
    load("gsm8k", "--file", loaded, "--split", "mine")
    path = csv(tmp_path, "gsm8k,1,disputed,P", head="benchmark,key,status,source\n")
    assert "2 golds disputed" in errata(path)


def test_json_lines_accept_numbers_and_several_accepted_answers(tmp_path: Path) -> None:
    line = {"benchmark": "gsm8k", "key": 1, "status": "corrected", "source": "P"}
    path = samples.jsonl(tmp_path / "errata.jsonl", [{**line, "Corrected answer": [80, "81"]}])
    errata(path)
    gold = Gold.objects.get(task__key="1", is_current=True)
    assert (gold.answer, gold.accepted) == ("80", ["81"])
    assert "1 unchanged" in errata(path)


def test_the_errata_option_excludes_the_other_options(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="takes no other options"):
        call_command("load_benchmark", "gsm8k", "--errata", str(tmp_path))
    with pytest.raises(CommandError, match="Name the benchmark: one of aime, amc"):
        call_command("load_benchmark")
