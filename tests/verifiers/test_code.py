"""Programs judged by MBPP's own asserts: references, and what programs may do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests import coverage_choice
from verifiers import programs, registry
from verifiers.builtin import code, code_strict
from verifiers.sandbox import limits, suites
from verifiers.types import Evidence, Gold

DATA = Path(__file__).parents[3] / "shared" / "data"
REFERENCES_TRIED = 400 if coverage_choice.IS_WHOLE else 12

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here"),
]


def rows(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        pytest.skip("../shared/data is not on this machine")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def gold_of(row: dict[str, Any]) -> Gold:
    return Gold(row["code"], extra={"tests": row["test_list"], "setup": row["test_setup_code"]})


@pytest.mark.filterwarnings("ignore:invalid escape")
def test_references_pass_their_own_tests() -> None:
    items = rows(DATA / "mbpp" / "mbpp.jsonl")
    with_setup = [row for row in items if row["test_setup_code"]]
    tried = with_setup + items[:: len(items) // REFERENCES_TRIED]
    failing = [row["task_id"] for row in tried if not code.code(gold_of(row), Evidence(row["code"])).correct]
    assert failing == []


def test_setup_runs_after_the_program_and_may_build_its_objects() -> None:
    gold = Gold(
        "class Node: ...",
        extra={"tests": ["assert depth(root) == 2"], "setup": "root = Node(1)\r\nroot.left = Node(2)"},
    )
    program = """
class Node:
    def __init__(self, value):
        self.value, self.left = value, None
def depth(node):
    return 1 + depth(node.left) if node else 0
"""
    assert code.code(gold, Evidence(program)).correct


def test_every_assert_counts() -> None:
    gold = Gold("assert f(1) == 1", accepted=("assert f(2) == 2", "assert f(3) == 4"))
    verdict = code.code(gold, Evidence("f = lambda x: x"))
    assert not verdict.correct
    assert verdict.metrics == {"passed": 2.0, "tests": 3.0}


@pytest.mark.parametrize(
    ("test", "program"),
    [
        ("assert list(f(3)) == [0, 1, 2]", "def f(n):\n    yield from range(n)"),
        ("assert f([int, 'a'], int) == 1", "def f(items, kind):\n    return items.count(kind)"),
        (
            "assert f(2.5) == (2.5, 1 + 2j, b'x', None, True)",
            "def f(x):\n    return (x, 1 + 2j, b'x', None, True)",
        ),
        ("assert f() == {1: {2}, 'a': frozenset({3})}", "def f():\n    return {1: {2}, 'a': frozenset({3})}"),
        ("assert f() == {'a': 2}", "from collections import Counter\ndef f():\n    return Counter('aa')"),
        ("assert f() == 10 ** 40", "f = lambda: 10 ** 40"),
        ("assert f() * 3 == 1", "from fractions import Fraction\ndef f():\n    return Fraction(1, 3)"),
        ("assert f() + f() == 1", "from decimal import Decimal\ndef f():\n    return Decimal('0.5')"),
        ("assert f('\\ud800') == 1", "f = len"),
        ("assert f().x.y[0] == 5", "class T: pass\ndef f():\n    t = T(); t.x = T(); t.x.y = [5]; return t"),
        ("assert f() is None", "f = lambda: None"),
        ("assert not f()", "f = lambda: []"),
    ],
)
def test_results_of_functions_reach_the_checker(test: str, program: str) -> None:
    assert code.code(Gold(test), Evidence(program)).correct


def test_hard_coding_the_shown_answers_fails_on_held_back_inputs() -> None:
    gold = Gold(
        "def double(x): return 2 * x",
        extra={
            "tests": ["assert double(1) == 2"],
            "pairs": [["double(5)", 10], ["double(0.5)", {"float": "0x1p0"}]],
        },
    )
    lister = Evidence("def double(x):\n    return {1: 2}.get(x)")
    assert code.code(gold, lister).correct
    assert not code_strict.code_strict(gold, lister).correct
    assert code_strict.code_strict(gold, Evidence("def double(x):\n    return x + x")).correct


@pytest.mark.parametrize("answer", ["", "  \n", (), ("def f(): ...",)])
def test_an_answer_without_a_program_is_unparsable(answer: str | tuple[str, ...]) -> None:
    verdict = code.code(Gold("assert f() == 1"), Evidence(answer))
    assert (verdict.correct, verdict.reason) == (False, "unparsable_answer")


def test_a_missing_sandbox_is_reported_and_blames_no_program(monkeypatch: Any) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(suites.SandboxMissing) as caught:
        code.code(Gold("assert f() == 1"), Evidence("f = int"))
    assert caught.value.code == "sandbox_missing"


def test_a_sandbox_that_does_not_start_blames_no_program(monkeypatch: Any, tmp_path: Path) -> None:
    failing = Path("/tmp") / f"bwrap-{tmp_path.name}"
    failing.write_text("#!/bin/sh\nexit 1\n")
    failing.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda _name: str(failing))
    try:
        with pytest.raises(suites.SandboxMissing):
            code.code(Gold("assert f() == 1"), Evidence("f = int"))
    finally:
        failing.unlink()


def test_a_builtin_name_belongs_to_the_program_only_if_the_reference_defines_it() -> None:
    tests = ["assert set(sum([1], 2)) == {3}"]
    assert list(programs.build_suite(Gold("def sum(a, b): ...", extra={"tests": tests})).names) == ["sum"]
    assert list(programs.build_suite(Gold("def other(a, b): ...", extra={"tests": tests})).names) == ["set"]


# One run for both verdicts

OF_DOUBLE = Gold(
    "def double(x): return 2 * x",
    extra={"tests": ["assert double(1) == 2", "assert double(2) == 4"], "pairs": [["double(5)", 10]]},
)
BOTH = ("code-v1", "code_strict-v1")
RIGHT = "def double(x):\n    if x == 5:\n        {}\n    return 2 * x"
PROGRAMS = {
    "right": RIGHT.format("pass"),
    "wrong on a pair": RIGHT.format("return 11"),
    "raises on a pair": RIGHT.format("raise ValueError"),
    "ends on a pair": RIGHT.format("import os; os._exit(0)"),
    "hangs on a pair": RIGHT.format("import time; time.sleep(600)"),
    "wrong on an assert": "def double(x):\n    return 2",
    "does not load": "def double(x) return 2 * x",
    "too long": "#" * (limits.PROGRAM_CHARS + 1),
    "nothing": " ",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_shared_run_gives_the_verdicts_of_separate_runs(name: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(suites, "LIMITS", limits.Limits(own_s=1.0))
    program = Evidence(PROGRAMS[name])
    shared = registry.run_many(BOTH, gold=OF_DOUBLE, evidence=program)
    assert shared == {name: registry.run(name, gold=OF_DOUBLE, evidence=program) for name in BOTH}


@pytest.mark.parametrize("name", ["wrong on a pair", "raises on a pair", "ends on a pair", "hangs on a pair"])
def test_held_back_inputs_do_not_affect_the_official_verdict(name: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(suites, "LIMITS", limits.Limits(own_s=1.0))
    shared = registry.run_many(BOTH, gold=OF_DOUBLE, evidence=Evidence(PROGRAMS[name]))
    assert {name: verdict.correct for name, verdict in shared.items()} == {
        "code-v1": True,
        "code_strict-v1": False,
    }


def test_both_verdicts_take_one_run(monkeypatch: Any) -> None:
    runs: list[str] = []
    run = programs.suite_run

    def counted(program: str, suite: suites.Suite, **limits: Any) -> suites.Report:
        runs.append(program)
        return run(program, suite, **limits)

    monkeypatch.setattr(programs, "suite_run", counted)
    registry.run_many(BOTH, gold=OF_DOUBLE, evidence=Evidence(PROGRAMS["right"]))
    assert len(runs) == 1


def test_a_report_gives_a_reason_for_each_failed_assert() -> None:
    program = "def f(x):\n    return 1 / x"
    asserts = ("assert f(1) == 1", "assert f(0) == 1", "assert f(2) == 1")
    report = suites.suite_run(program, suites.Suite(names=["f"], asserts=asserts))
    assert report.asserts == (True, False, False)
    assert report.assert_reasons == (
        "",
        "CandidateError: ZeroDivisionError: division by zero",
        "AssertionError: ",
    )
    assert report.asserts_detail == report.assert_reasons[1]


def test_a_program_that_does_not_load_has_no_reasons_for_single_asserts() -> None:
    report = suites.suite_run("f = (", suites.Suite(names=["f"], asserts=("assert f(1)", "assert f(2)")))
    assert (report.asserts, report.assert_reasons) == ((False, False), ())
    assert "SyntaxError" in report.asserts_detail
