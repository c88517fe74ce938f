from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tasks_app import loader
from tasks_app.models import Benchmark, Gold, Task
from tasks_app.registry import benchmarks
from tasks_app.starters import starter_drafts
from tasks_app.types import BadRow, BenchmarkPlugin, GoldDraft, TaskDraft
from tests.tasks_app import samples

pytestmark = pytest.mark.django_db


def load(benchmark: str, *arguments: Any) -> str:
    out = io.StringIO()
    call_command(
        "load_benchmark", benchmark, *(str(argument) for argument in arguments), stdout=out, stderr=out
    )
    return out.getvalue()


def snapshot() -> list[Any]:
    tasks = Task.objects.order_by("pk").values_list("pk", "content_hash", "updated_at")
    return [
        list(tasks),
        list(Gold.objects.order_by("pk").values_list("pk", "version", "is_current", "answer")),
    ]


def test_loading_writes_tasks_with_golds_under_the_split_in_the_file_name(tmp_path: Path) -> None:
    load("gsm8k", "--file", samples.jsonl(tmp_path / "test.jsonl", samples.GSM8K))
    assert list(Task.objects.order_by("pk").values_list("benchmark", "split", "key")) == [
        ("gsm8k", "test", "1"),
        ("gsm8k", "test", "2"),
        ("gsm8k", "test", "3"),
    ]
    assert list(
        Gold.objects.order_by("pk").values_list("answer", "version", "is_current", "status", "source")
    ) == [
        ("30", 1, True, "valid", "test.jsonl:1"),
        ("1125000", 1, True, "valid", "test.jsonl:2"),
        ("-3", 1, True, "valid", "test.jsonl:3"),
    ]
    assert Benchmark.objects.get().verifier_official == "numeric-v1"


def test_loading_again_changes_nothing(tmp_path: Path) -> None:
    path = samples.jsonl(tmp_path / "train.jsonl", samples.MATH)
    load("math", "--file", path)
    before = snapshot()
    output = load("math", "--file", path)
    assert snapshot() == before
    assert "3" in output.splitlines()[-1]


def test_a_changed_question_updates_the_task_and_leaves_its_gold(tmp_path: Path) -> None:
    path = samples.jsonl(tmp_path / "train.jsonl", samples.GSM8K)
    load("gsm8k", "--file", path)
    first = Task.objects.get(key="1")
    samples.jsonl(path, [{**samples.GSM8K[0], "question": "Another question?"}, *samples.GSM8K[1:]])
    load("gsm8k", "--file", path)
    changed = Task.objects.get(key="1")
    assert (changed.pk, changed.prompt) == (first.pk, "Another question?")
    assert changed.updated_at > first.updated_at
    assert changed.content_hash != first.content_hash
    assert Gold.objects.count() == 3


def test_a_changed_gold_is_a_new_version_and_is_reported_without_its_answer(tmp_path: Path) -> None:
    path = samples.jsonl(tmp_path / "train.jsonl", samples.GSM8K)
    load("gsm8k", "--file", path)
    hash_before = Task.objects.get(key="1").content_hash
    samples.jsonl(path, [{**samples.GSM8K[0], "answer": "New.\n#### 98765"}, *samples.GSM8K[1:]])
    output = load("gsm8k", "--file", path)
    golds = (
        Gold.objects.filter(task__key="1").order_by("version").values_list("version", "answer", "is_current")
    )
    assert list(golds) == [(1, "30", False), (2, "98765", True)]
    assert "gsm8k/train/1: the gold has changed; version 2 is current." in output
    assert "98765" not in output
    assert Task.objects.get(key="1").content_hash == hash_before


def test_a_solution_that_a_source_has_learnt_is_filled_in_and_makes_no_new_gold() -> None:
    plugin = benchmarks.get("ladder")
    assert plugin.generate is not None
    rows = list(plugin.generate(8, 1, "train"))
    loader.tasks_load(plugin, rows, split="train")
    before = snapshot()
    solved = list(Gold.objects.order_by("pk").values_list("solution", "steps"))
    assert all(solution and "".join(steps) == solution for solution, steps in solved)
    Gold.objects.update(solution="", steps=[], clean_steps=0)
    corrected = Gold.objects.filter(task__key=rows[0].key)  # type: ignore[union-attr]
    corrected.update(status=Gold.Status.CORRECTED)
    loader.tasks_load(plugin, rows[1:], split="train")
    assert snapshot() == before
    filled = Gold.objects.exclude(pk=corrected.get().pk).order_by("pk")
    assert list(filled.values_list("solution", "steps")) == solved[1:]
    assert set(filled.values_list("clean_steps", flat=True)) == {None}
    assert corrected.get().solution == ""


def test_loading_again_keeps_disputed_and_corrected_golds(tmp_path: Path) -> None:
    path = samples.jsonl(tmp_path / "train.jsonl", samples.GSM8K)
    load("gsm8k", "--file", path)
    Gold.objects.filter(task__key="2").update(status=Gold.Status.DISPUTED)
    old = Gold.objects.get(task__key="1")
    Gold.objects.filter(pk=old.pk).update(is_current=False)
    Gold.objects.create(task_id=old.task_id, version=2, answer="31", status=Gold.Status.CORRECTED)
    before = snapshot()
    load("gsm8k", "--file", path)
    assert snapshot() == before


def test_loading_again_keeps_a_task_ineligible(tmp_path: Path) -> None:
    path = samples.jsonl(tmp_path / "train.jsonl", samples.MATH)
    load("math", "--file", path)
    Task.objects.update(gap_eligible=False, gap_reason="seen")
    load("math", "--file", path)
    assert not Task.objects.filter(gap_eligible=True).exists()


def test_bad_rows_are_reported_with_their_lines_and_everything_else_is_loaded(tmp_path: Path) -> None:
    nul = {**samples.GSM8K[1], "question": "A \0 in it?"}
    path = samples.jsonl(tmp_path / "train.jsonl", [samples.GSM8K[0], "{broken", nul, samples.GSM8K[2]])
    out = io.StringIO()
    with pytest.raises(CommandError, match="2 bad rows skipped; the other 2 were loaded"):
        call_command("load_benchmark", "gsm8k", "--file", str(path), stdout=out, stderr=out)
    assert "skipped train.jsonl:2: not valid JSON" in out.getvalue()
    assert "skipped train.jsonl:3: the text contains a NUL character" in out.getvalue()
    assert sorted(Task.objects.values_list("key", flat=True)) == ["1", "4"]


def test_a_tree_is_loaded_by_the_splits_of_its_folders(tmp_path: Path) -> None:
    tree = samples.math_tree(tmp_path)
    load("math", "--file", tree)
    assert sorted(Task.objects.values_list("split", "key")) == [
        ("train", "prealgebra/10"),
        ("train", "prealgebra/9"),
    ]
    load("math", "--file", tree, "--split", "test")
    assert list(Task.objects.filter(split="test").values_list("key", flat=True)) == ["algebra/1"]


def test_a_subfolder_of_a_tree_is_loaded_under_the_split_of_its_parent(tmp_path: Path) -> None:
    load("math", "--file", samples.math_tree(tmp_path) / "test" / "algebra")
    assert list(Task.objects.values_list("split", "key")) == [("test", "algebra/1")]


def test_a_key_that_occurs_twice_is_a_bad_row(tmp_path: Path) -> None:
    path = samples.jsonl(tmp_path / "test.jsonl", [samples.MATH500[0], samples.MATH500[0]])
    with pytest.raises(CommandError, match="1 bad rows skipped"):
        load("math500", "--file", path)
    assert Task.objects.count() == 1


def test_limit_bounds_the_rows_and_split_names_their_split(tmp_path: Path) -> None:
    load(
        "gsm8k",
        "--file",
        samples.jsonl(tmp_path / "rows.jsonl", samples.GSM8K),
        "--limit",
        2,
        "--split",
        "mine",
    )
    assert list(Task.objects.values_list("split", flat=True)) == ["mine", "mine"]


def test_limit_counts_only_rows_of_the_split(tmp_path: Path) -> None:
    tree = samples.math_tree(tmp_path)
    load("math", "--file", tree, "--split", "train", "--limit", 1)
    load("math", "--file", tree, "--split", "test", "--limit", 1)
    assert sorted(Task.objects.values_list("split", flat=True)) == ["test", "train"]


def test_a_missing_split_is_refused_with_the_splits_and_rows_that_exist(tmp_path: Path) -> None:
    tree = samples.math_tree(tmp_path)
    message = r"No task of math/val was found\. Available: test 1, train 2; choose with --split\.$"
    with pytest.raises(CommandError, match=message):
        load("math", "--file", tree, "--split", "val", "--limit", 2)
    assert not Task.objects.exists()


def test_a_missing_default_split_is_not_replaced_by_another(tmp_path: Path) -> None:
    cells = "How many legs has a spider?,4,6,8,10,C\n"
    for subject in ("anatomy", "zoology"):
        (tmp_path / f"{subject}_val.csv").write_text(cells)
    message = r"No task of mmlu/test was found\. Available: val 2; choose with --split\.$"
    with pytest.raises(CommandError, match=message):
        load("mmlu", "--file", tmp_path)
    assert not Task.objects.exists()


def test_bad_rows_do_not_hide_that_the_rows_are_of_another_split(tmp_path: Path) -> None:
    (tmp_path / "anatomy_val.csv").write_text("How many legs has a spider?,4,6,8,10,C\nHow many?,4,C\n")
    with pytest.raises(CommandError, match=r"1 bad rows skipped.*No task of mmlu/test.*Available: val 1;"):
        load("mmlu", "--file", tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gsm8"], "There is no benchmark 'gsm8'. Did you mean gsm8k"),
        (["gsm8k"], "Say where to find gsm8k: --file PATH or --hub"),
        (["gsm8k", "--file", "none.jsonl"], "There is no file none.jsonl"),
        (["gsm8k", "--count", "3", "--seed", "1"], "--count and --seed are for generated benchmarks"),
        (["gsm8k", "--hub", "--split", "tset"], "has no split 'tset'. Did you mean test"),
        (["gsm8k", "--file", "x.jsonl", "--limit", "0"], "not a whole number above 0"),
    ],
)
def test_an_impossible_command_says_what_to_do(arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("load_benchmark", *arguments)


def generated(count: int, seed: int, _split: str) -> Any:
    for number in range(count):
        gold = GoldDraft(answer=str(seed * number))
        yield TaskDraft(key=f"{seed}-{number}", prompt="p", payload={"text": "p"}, gold=gold)


def test_a_generated_benchmark_takes_count_and_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = {"title": "T", "kind": "free_answer", "license": "L", "source": "here"}
    names = {"verifier_official": "numeric-v1", "verifier_training": "numeric-v1"}
    plugin = BenchmarkPlugin(id="made", splits=("train",), generate=generated, **facts, **names)
    monkeypatch.setitem(benchmarks._items, "made", plugin)
    load("made", "--count", 5, "--seed", 3)
    assert list(Task.objects.order_by("pk").values_list("key", flat=True)) == [
        "3-0",
        "3-1",
        "3-2",
        "3-3",
        "3-4",
    ]
    with pytest.raises(CommandError, match="made is generated"):
        load("made", "--file", "x.jsonl")


def test_loading_starter_tasks_again_adds_none() -> None:
    out = io.StringIO()
    call_command("load_starter_tasks", stdout=out)
    count = sum(len(starter_drafts(benchmark)) for benchmark in benchmarks)
    assert Task.objects.filter(split="starter").count() == count
    assert Gold.objects.count() == count
    before = snapshot()
    call_command("load_starter_tasks", stdout=out)
    assert snapshot() == before
    assert f"{count} starter tasks, 0 new, 0 changed." in out.getvalue()


def test_loading_starter_tasks_again_takes_a_handful_of_statements(
    django_assert_max_num_queries: Any,
) -> None:
    call_command("load_starter_tasks", verbosity=0)
    with django_assert_max_num_queries(3 * len(benchmarks) + 6):
        call_command("load_starter_tasks", verbosity=0)


def test_a_draft_that_cannot_be_stored_is_refused_before_any_statement() -> None:
    def draft(**fields: Any) -> TaskDraft:
        return TaskDraft(
            **{"key": "k", "prompt": "p", "payload": {}, "gold": GoldDraft(answer="1"), **fields}
        )

    assert loader.draft_problem(draft()) is None
    for fields in (
        {"key": ""},
        {"key": "k" * 201},
        {"tags": ("t" * 101,)},
        {"gold": GoldDraft(answer="")},
        {"prompt": "\ud800"},
        {"gold": GoldDraft(answer="1", solution="\0")},
        {"difficulty": 1.5},
    ):
        assert loader.draft_problem(draft(**fields))


def test_no_task_is_lost_at_a_batch_boundary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "BATCH_ROWS", 2)
    plugin = benchmarks.get("gsm8k")
    rows = list(generated(5, 1, "train"))
    report = loader.tasks_load(plugin, [rows[0], BadRow("f:2", "bad"), *rows[1:]], split="train")
    assert (report.new, len(report.bad), Task.objects.count(), Gold.objects.count()) == (5, 1, 5, 5)


@pytest.mark.parametrize(
    ("benchmark", "place", "count"),
    [("gsm8k", "gsm8k", 500), ("math", "math/train.jsonl", 420), ("math", "math/MATH", 84)],
)
def test_the_official_samples_load_whole_and_twice(benchmark: str, place: str, count: int) -> None:
    path = samples.shared(place)
    load(benchmark, "--file", path)
    before = snapshot()
    load(benchmark, "--file", path)
    assert Task.objects.filter(benchmark=benchmark, split="train").count() == count
    assert snapshot() == before


def test_no_task_row_holds_its_gold(tmp_path: Path) -> None:
    canary = "8675309"
    row = {"question": "How many?", "answer": f"Secretly.\n#### {canary}"}
    load("gsm8k", "--file", samples.jsonl(tmp_path / "train.jsonl", [row]))
    stored = json.dumps(list(Task.objects.values()), default=str)
    assert canary not in stored
    assert "Secretly" not in stored
