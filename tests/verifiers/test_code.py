"""Programs judged by MBPP's own asserts: against published verdicts and every reference at hand."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from verifiers import programs
from verifiers.builtin import code, code_strict
from verifiers.sandbox import suites
from verifiers.types import Evidence, Gold

DATA = Path(__file__).parents[3] / "shared" / "data"
REFERENCES_TRIED = 40

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")


def rows(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        pytest.skip("../shared/data is not on this machine")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def gold_of(row: dict[str, Any]) -> Gold:
    return Gold(row["code"], extra={"tests": row["test_list"], "setup": row["test_setup_code"]})


def test_references_pass_their_own_tests() -> None:
    found = rows(DATA / "mbpp" / "mbpp.jsonl")
    with_setup = [row for row in found if row["test_setup_code"]]
    tried = with_setup + found[:: len(found) // REFERENCES_TRIED]
    failing = [row["task_id"] for row in tried if not code.code(gold_of(row), Evidence(row["code"])).correct]
    assert failing == []


def test_published_verdicts_are_ours() -> None:
    wrong = []
    for row in rows(DATA / "verifier_cases" / "mbpp_gpt4_solutions.jsonl")[::3]:
        gold = Gold(row["gold"][0], tuple(row["gold"][1:]), extra={"setup": row["test_setup_code"]})
        if code.code(gold, Evidence(row["prediction"])).correct is not row["expected"]:
            wrong.append(row["problem_id"])
    assert wrong == []


def test_setup_runs_after_the_program_and_may_build_its_objects() -> None:
    gold = Gold(
        "class Node: ...",
        extra={
            "tests": ["assert depth(root) == 2"],
            "setup": "root = Node(1)\r\nroot.left = Node(2)",
        },
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
        ("assert f('\\ud800') == 1", "f = len"),
        ("assert f().x.y[0] == 5", "class T: pass\ndef f():\n    t = T(); t.x = T(); t.x.y = [5]; return t"),
        ("assert f() is None", "f = lambda: None"),
        ("assert not f()", "f = lambda: []"),
    ],
)
def test_what_functions_give_reaches_the_checker(test: str, program: str) -> None:
    assert code.code(Gold(test), Evidence(program)).correct


def test_listing_the_shown_answers_is_caught_by_held_back_inputs() -> None:
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
def test_no_program_is_unparsable(answer: str | tuple[str, ...]) -> None:
    verdict = code.code(Gold("assert f() == 1"), Evidence(answer))
    assert (verdict.correct, verdict.reason) == (False, "unparsable_answer")


def test_no_sandbox_is_said_and_blames_no_program(monkeypatch: Any) -> None:
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


def test_a_builtin_is_the_programs_only_when_the_reference_defines_it() -> None:
    tests = ["assert set(sum([1], 2)) == {3}"]
    assert list(programs.suite_of(Gold("def sum(a, b): ...", extra={"tests": tests})).names) == ["sum"]
    assert list(programs.suite_of(Gold("def other(a, b): ...", extra={"tests": tests})).names) == ["set"]
