from __future__ import annotations

import ast
import shutil
from typing import Any

import pytest

from verifiers import mutation
from verifiers.builtin import code_strict
from verifiers.types import Evidence, Gold

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here"),
]

ADD = "def add(a, b):\n    return a + b"


def gold(program: str, *tests: str, **extra: Any) -> Gold:
    return Gold(program, extra={"tests": list(tests), **extra})


def test_pairs_are_new_calls_with_the_values_of_the_reference() -> None:
    pairs = mutation.held_back(gold(ADD, "assert add(10, 20) == 30", "assert add(7, 5) == 12"), seed=1).pairs
    assert len(pairs) == mutation.PAIRS
    for call, value in pairs:
        given = [ast.literal_eval(argument) for argument in ast.parse(call, mode="eval").body.args]  # type: ignore[attr-defined]
        assert sum(given) == value
        assert given not in ([10, 20], [7, 5])


def test_the_same_seed_gives_the_same_pairs() -> None:
    task = gold(ADD, "assert add(10, 20) == 30")
    assert mutation.held_back(task, seed=3).pairs == mutation.held_back(task, seed=3).pairs
    assert mutation.held_back(task, seed=3).pairs != mutation.held_back(task, seed=4).pairs


def test_the_reference_passes_its_own_pairs_and_a_lister_does_not() -> None:
    task = gold(ADD, "assert add(10, 20) == 30")
    pairs = mutation.held_back(task, seed=1).pairs
    strict = gold(ADD, "assert add(10, 20) == 30", pairs=pairs)
    assert code_strict.code_strict(strict, Evidence(ADD)).correct
    lister = Evidence("def add(a, b):\n    return 30")
    assert not code_strict.code_strict(strict, lister).correct


@pytest.mark.parametrize(
    "program",
    [
        "import random\ndef f(x):\n    return 4 if x == 'abc' else random.random()",
        "def f(x):\n    return 4 if x == 'abc' else list({x, 'b', 'c', 'd', 'e'})",
        "def f(x):\n    return 4 if x == 'abc' else object()",
        "def f(x):\n    return {'abc': 4}[x]",
    ],
    ids=["random", "order of a set", "no data", "raises"],
)
def test_nondeterministic_values_are_left_out(program: str) -> None:
    assert mutation.held_back(gold(program, "assert f('abc') == 4"), seed=1).pairs == []


def test_an_endless_reference_gets_no_held_back_inputs(monkeypatch: Any) -> None:
    from verifiers.sandbox import limits, suites

    monkeypatch.setattr(suites, "LIMITS", limits.Limits(cpu_s=1, own_s=2.0))
    program = "def f(x):\n    while x != 'abc':\n        pass\n    return 4"
    assert mutation.held_back(gold(program, "assert f('abc') == 4"), seed=1).pairs == []


def test_a_reference_that_fails_its_tests_is_reported() -> None:
    with pytest.raises(mutation.ReferenceFails):
        mutation.held_back(gold(ADD, "assert add(1, 2) == 4"), seed=1)


def test_mutants_keep_lengths_and_signs() -> None:
    program = "def f(items, n):\n    return [len(items), n, min(items) > 0]"
    pairs = mutation.held_back(gold(program, "assert f([5, 9, 30], 3) == [3, 3, True]"), seed=1).pairs
    assert pairs
    assert all(value == [3, 3, True] for _, value in pairs)


def test_asserts_without_literal_arguments_have_no_mutants() -> None:
    task = gold(ADD, "assert add(one, one) == 2", setup="one = 1")
    assert mutation.held_back(task, seed=1).pairs == []


def test_mutants_change_the_values_of_a_dictionary_and_keep_its_keys() -> None:
    program = "def f(items):\n    return [[sorted(item), item['n']] for item in items]"
    task = gold(program, "assert f([{'n': 700, 'name': 'x'}]) == [[['n', 'name'], 700]]")
    pairs = mutation.held_back(task, seed=1).pairs
    assert pairs
    assert all(value[0][0] == ["n", "name"] for _, value in pairs)
    assert any(value[0][1] != 700 for _, value in pairs)
