from __future__ import annotations

import ast
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tasks_app import loader
from tasks_app.benchmarks import mbpp
from tasks_app.models import Gold, Task
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, Record
from tests import coverage_choice, factories
from tests.tasks_app import samples
from tests.tasks_app.test_benchmarks import accepts, drafts
from tests.tasks_app.test_loader import load, snapshot
from trajectories.models import Verdict
from trajectories.rollouts.judging import services
from verifiers import mutation

pytestmark = pytest.mark.slow

OFFICIAL = {"train": 374, "validation": 90, "prompt": 10}
GOLDS_TRIED = 60 if coverage_choice.IS_WHOLE else 6

needs_sandbox = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")


def row(task_id: int = 601, **fields: Any) -> dict[str, Any]:
    return {
        "text": "Write a function to double a number.",
        "code": "def double(x):\r\n\treturn 2 * x",
        "task_id": task_id,
        "test_setup_code": "",
        "test_list": ["assert double(2) == 4", "assert double(30) == 60 ", "assert double(5) == 10"],
        "challenge_test_list": ["assert double(0) == 0"],
        **fields,
    }


def lines(folder: Path, *rows: Any) -> Path:
    return samples.jsonl(folder / "mbpp.jsonl", rows)


def test_the_range_of_the_task_id_is_the_split_and_the_id_is_the_key(tmp_path: Path) -> None:
    ids = (1, 10, 11, 510, 511, 600, 601, 974)
    task_drafts = drafts("mbpp", lines(tmp_path, *map(row, ids)))
    assert [(draft.key, draft.split) for draft in task_drafts] == [
        ("1", "prompt"),
        ("10", "prompt"),
        ("11", "test"),
        ("510", "test"),
        ("511", "validation"),
        ("600", "validation"),
        ("601", "train"),
        ("974", "train"),
    ]


def test_the_task_shows_one_assert_and_the_gold_holds_all(tmp_path: Path) -> None:
    (draft,) = drafts("mbpp", lines(tmp_path, row()))
    assert draft.payload == {
        "text": "Write a function to double a number.",
        "format": "plain",
        "signature": "def double(x):",
        "asserts": ["assert double(2) == 4"],
    }
    assert draft.gold.answer == "def double(x):\n\treturn 2 * x"
    assert draft.gold.extra == {
        "tests": ["assert double(2) == 4", "assert double(30) == 60", "assert double(5) == 10"],
        "setup": "",
    }


def test_a_sanitized_row_has_a_prompt_and_imports_that_run_before_the_asserts(tmp_path: Path) -> None:
    sanitized = row(prompt="Write it.", test_imports=["import math"], test_setup_code="x = 1\r\ny = 2")
    del sanitized["text"]
    (draft,) = drafts("mbpp", lines(tmp_path, sanitized))
    assert draft.payload["text"] == "Write it."
    assert draft.gold.extra["setup"] == "import math\nx = 1\ny = 2"


@pytest.mark.parametrize(
    ("code", "test", "signature"),
    [
        ("def f(a, *b, c=1, **d):\n  return a", "assert f(1)", "def f(a, *b, c=1, **d):"),
        ("def g(): ...\ndef f(a): return g()", "assert f(1)", "def f(a):"),
        ("def g(): ...\ndef f(a): ...", "assert f(g())", "def f(a):\ndef g():"),
        ("class Pair: ...\ndef f(a): ...", "assert f([Pair()])", "def f(a):"),
        ("f = lambda a: a", "assert f(1)", ""),
    ],
)
def test_the_signature_covers_the_functions_that_the_asserts_call(
    code: str, test: str, signature: str
) -> None:
    assert mbpp.extract_signature(code, tests=[test]) == signature


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"task_id": 975}, "the task_id 975 is not between 1 and 974"),
        ({"task_id": "601"}, "Expected `int`"),
        ({"text": " "}, "is empty"),
        ({"code": ""}, "is empty"),
        ({"test_list": []}, "is empty"),
        ({"test_list": ["assert f(1"]}, "an assert is not Python"),
        ({"code": "def f(:"}, "the code is not Python"),
        ({"test_setup_code": "x ="}, "the set-up is not Python"),
    ],
)
def test_a_bad_row_is_reported_and_the_others_are_read(
    tmp_path: Path, fields: dict[str, Any], problem: str
) -> None:
    bad, good = samples.read("mbpp", lines(tmp_path, row(**fields), row()))
    assert isinstance(bad, BadRow)
    assert bad.place == "mbpp.jsonl:1"
    assert problem in bad.problem
    assert not isinstance(good, BadRow)


@pytest.mark.django_db
def test_loading_adds_held_back_inputs_that_the_task_does_not_show(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(mutation, "held_back", lambda _gold, seed: mutation.HeldBack([("double(3)", seed)]))
    load("mbpp", "--file", lines(tmp_path, row()))
    gold = Gold.objects.get()
    assert gold.extra["pairs"] == [["double(3)", 601]]
    assert "double(3)" not in str(Task.objects.values_list("payload", "prompt").get())
    assert Task.objects.get().tags == ["python"]


def test_a_slow_reference_gives_other_programs_more_time(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(mutation, "held_back", lambda _gold, seed: mutation.HeldBack([], reference_s=1.26))
    (draft,) = drafts("mbpp", lines(tmp_path, row()))
    assert mbpp.held_back(draft) == {"pairs": [], "cpu_s": 13}


@pytest.mark.django_db
def test_loading_again_changes_nothing_and_runs_nothing(tmp_path: Path, monkeypatch: Any) -> None:
    tried: list[int] = []

    def held_back(_gold: Any, *, seed: int) -> mutation.HeldBack:
        tried.append(seed)
        return mutation.HeldBack([], is_deterministic=seed != 602)

    monkeypatch.setattr(mutation, "held_back", held_back)
    path = lines(tmp_path, row(), row(602))
    load("mbpp", "--file", path)
    before = snapshot()
    load("mbpp", "--file", path)
    assert snapshot() == before
    assert tried == [601, 602]
    assert Task.objects.get(key="602").tags == ["python", "not-deterministic"]
    lines(tmp_path, row(), row(602, code="def double(x):\n    return x + x"))
    load("mbpp", "--file", path)
    assert tried == [601, 602, 602]
    assert sorted(Gold.objects.values_list("task__key", "version")) == [("601", 1), ("602", 1), ("602", 2)]


@pytest.mark.django_db
def test_correcting_a_reference_drops_the_outputs_of_the_wrong_one(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(mutation, "held_back", lambda _gold, seed: mutation.HeldBack([("double(3)", 7)]))
    load("mbpp", "--file", lines(tmp_path, row()))
    erratum = {"benchmark": "mbpp", "key": 601, "status": "corrected", "source": "P"}
    path = samples.jsonl(tmp_path / "errata.jsonl", [{**erratum, "corrected_answer": "double = int"}])
    call_command("load_benchmark", "--errata", str(path), verbosity=0)
    gold = Gold.objects.get(is_current=True)
    assert (gold.version, gold.answer, sorted(gold.extra)) == (2, "double = int", ["setup", "tests"])


@pytest.mark.django_db
def test_loading_without_a_sandbox_reports_it_and_a_later_load_completes_the_golds(
    tmp_path: Path, monkeypatch: Any
) -> None:
    path = lines(tmp_path, row(), row(602))
    with monkeypatch.context() as missing:
        missing.setattr(shutil, "which", lambda _name: None)
        output = load("mbpp", "--file", path)
    assert "No held-back inputs: " in output
    assert "bubblewrap is not installed" in output
    assert [gold.extra.get("pairs") for gold in Gold.objects.all()] == [None, None]
    monkeypatch.setattr(mutation, "held_back", lambda _gold, seed: mutation.HeldBack([("double(3)", 6)]))
    load("mbpp", "--file", path)
    current = Gold.objects.filter(is_current=True)
    assert [(gold.version, gold.extra["pairs"]) for gold in current] == [(2, [["double(3)", 6]])] * 2


@pytest.mark.django_db
@needs_sandbox
def test_a_reference_that_fails_its_own_asserts_is_a_bad_row(tmp_path: Path) -> None:
    plugin = benchmarks.get("mbpp")
    rows = samples.read("mbpp", lines(tmp_path, row(code="def double(x): return x"), row(602)))
    report = loader.tasks_load(plugin, rows, split="train")
    assert [(bad.place, "fails its own tests" in bad.problem) for bad in report.bad] == [
        ("mbpp.jsonl:1", True)
    ]
    assert [gold.task.key for gold in Gold.objects.all()] == ["602"]


@pytest.mark.django_db
@needs_sandbox
@pytest.mark.parametrize("text", [r"\0", r"a\x00b\u0000", r"\ud800", r"\\u0000", "\\\\"])
def test_what_a_reference_returns_is_stored_whatever_it_holds(tmp_path: Path, text: str) -> None:
    code = f"def f(x):\n    return ['{text}', {{'{text}': x * 2}}]"
    test = f"assert f(20) == ['{text}', {{'{text}': 40}}]"
    rows = samples.read("mbpp", lines(tmp_path, row(code=code, test_list=[test])))
    report = loader.tasks_load(benchmarks.get("mbpp"), rows, split="train")
    assert (report.new, report.bad) == (1, [])
    episode = factories.episode(run=factories.run(kind="train"), task=Task.objects.get())
    other = factories.episode(run=episode.run, task=episode.task)
    factories.submission(episode, code)
    factories.submission(other, code.replace("x * 2", "40"))
    for one in (episode, other):
        assert services.submission_judge(episode_id=one.pk)
    verdicts = dict(Verdict.objects.values_list("episode", "outcome"))
    assert verdicts == {episode.pk: "correct", other.pk: "incorrect"}


@needs_sandbox
@pytest.mark.parametrize(
    ("code", "is_deterministic"),
    [
        ("def f(x):\n    return set(x)", True),
        ("def f(x):\n    return dict.fromkeys(set(x), 1)", True),
        ("def f(x):\n    return list(set(x)) if x != ['a', 'b'] else {'a', 'b'}", False),
        ("import random\ndef f(x):\n    return random.random() if x != ['a', 'b'] else {'a', 'b'}", False),
    ],
)
def test_the_order_of_a_set_does_not_make_a_reference_nondeterministic(
    code: str, is_deterministic: bool
) -> None:
    test = "assert set(f(['a', 'b'])) == {'a', 'b'}"
    value = {"task_id": 601, "text": "F.", "code": code, "test_list": [test]}
    draft = mbpp.draft_of(Record(Path("mbpp.jsonl"), 1, 1, value))
    added = mbpp.held_back(draft)
    assert bool(added["pairs"]) is is_deterministic
    assert mbpp.tags(added) == (() if is_deterministic else ("not-deterministic",))


def test_every_official_row_is_read_and_its_signature_is_one_function() -> None:
    task_drafts = drafts("mbpp", samples.shared("mbpp/mbpp.jsonl"))
    assert {split: sum(draft.split == split for draft in task_drafts) for split in OFFICIAL} == OFFICIAL
    for draft in task_drafts:
        (function,) = ast.parse(f"{draft.payload['signature']} ...").body
        assert isinstance(function, ast.FunctionDef)
        assert len(draft.gold.extra["tests"]) == 3
        assert "\r" not in draft.gold.answer + draft.gold.extra["setup"]


@needs_sandbox
@pytest.mark.filterwarnings("ignore:invalid escape")
def test_official_references_pass_both_verifiers_and_a_program_that_returns_nothing_fails() -> None:
    task_drafts = drafts("mbpp", samples.shared("mbpp/mbpp.jsonl"))
    plugin = benchmarks.get("mbpp")
    for draft in task_drafts[:: len(task_drafts) // GOLDS_TRIED]:
        added = mbpp.held_back(draft)
        enriched = replace(draft, gold=replace(draft.gold, extra={**draft.gold.extra, **added}))
        name = draft.payload["signature"].partition("(")[0]
        for verifier in (plugin.verifier_official, plugin.verifier_training):
            assert accepts(verifier, enriched, draft.gold.answer), draft.key
            assert not accepts(verifier, enriched, f"{name}(*given):\n    return None"), draft.key
