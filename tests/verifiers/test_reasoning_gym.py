"""What hostile answers to generated puzzles try, and what is as right as the gold."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from verifiers import registry
from verifiers.puzzles import package_scorers
from verifiers.puzzles.rules import CHECKS, FACTS, PACKAGED, READINGS, RULES
from verifiers.types import Evidence, Gold, UnparsableGold, Verdict

registry.discover()

needs_sandbox = pytest.mark.skipif(
    shutil.which("bwrap") is None or find_spec("reasoning_gym") is None,
    reason="bubblewrap or reasoning-gym is not installed here",
)

TARGET = {"numbers": [4, 7, 5], "target": 33}
HALF = {"rational": {"numerator": 1, "denominator": 3}}
SMALL = {"rational": {"numerator": 1, "denominator": 65536}}
SHOWN = {"candidates": [10.5, 2.25], "formatted_candidates": ["1.05e+01", "2.250"], "solution": 10.5}
ROOM = {"gamestr": "+ + + + +\n+ * @ X +\n+ - - - +\n+ + + + +\n"}
QUEENS = {"valid_answers": ["_ Q\nQ _", "Q _\n_ Q"]}
GRAPH = {"puzzle": {"vertices": [0, 1], "edges": [[0, 1]], "num_colors": 2, "color_options": [1, 2]}}
JUGS = {"puzzle": {"jug_capacities": [5, 3, 2], "target": 1}}
SUMS = {"row_sums": [1, 2], "col_sums": [1, 2], "n_rows": 2, "n_cols": 2}
LETTERS = {"words_letters": ["AB", "C"], "result_letters": "AD", "allow_leading_zero": False}
LOCK = {
    "buttons": [{"name": "A", "type": "add", "value": 2, "active_state": "any"}],
    "initial_state": "red",
    "initial_value": 0,
    "target_value": 4,
}
KNIGHTS = {
    "is_possible": True,
    "board": {"A1": ["B3"], "B3": ["A1", "C1"], "C1": ["B3"]},
    "pieces": {"A1": "w", "B3": None, "C1": None},
    "start_turn": "w",
    "solution": [],
}
CUBE = {"cube_size": 3, "scramble_moves": "R U' F"}
ROAD = {"board_config": "oooBoooooBooAAoooooooooooooooooooooo"}
PATH = {"matrix": [["*", "O"], ["X", "#"]]}
HANOI = {"num_disks": 1, "num_pegs": 3, "start_peg": 1, "target_peg": 2}
TINY = "((1/10)**1000)**100"
LADDER = {"start_word": "COLD", "end_word": "WARD"}


def integral(integrand: str) -> dict[str, str]:
    return {"integrand": integrand, "variable": "x"}


def judge(dataset: str, gold: str, answer: str, facts: dict[str, Any] | None = None) -> Verdict:
    extra = {"dataset": dataset, "facts": facts or {}}
    return registry.run("reasoning_gym-v1", gold=Gold(gold, extra=extra), evidence=Evidence(answer))


@pytest.mark.parametrize(
    ("dataset", "gold", "answer", "facts"),
    [
        ("ab", "A# #B", " A# #B\n", None),
        ("family_relationships", "mother-in-law", "Mother-in-law", None),
        ("figlet_font", "LANTERN", "l a n t e r n", None),
        ("path_star", "12 7 9", "12  7 9", None),
        ("word_sorting", "apple, pear", "apple,pear", None),
        ("sudoku", "1 2\n2 1", "1 2 \r\n2 1", None),
        ("binary_matrix", "1 2\n0 1", "1\t2\n0 1", None),
        ("pool_matrix", "3.67 4.0", "3.667 4", None),
        ("game_of_life", "[[0,1],[1,0]]", "[[0, 1],\n [1, 0]]", None),
        ("group_anagrams", '[["eat", "tea"], ["nat"]]', '[["nat"],["tea","eat"]]', None),
        ("number_sorting", "['-1.5', '2.0']", "[-1.5, 2]", None),
        ("time_intervals", "3 days, 07:05", "3 days, 7:05:00", None),
        ("knights_knaves", "Ada is a knight, and Bo is a knave.", "Bo is a knave and Ada is a knight", None),
        ("chain_sum", "-1250", "\u22121,250.00", None),
        ("polynomial_equations", "-0.5314, 0.0", "0, -0.5314", None),
        ("calendar_arithmetic", "Yes", "yes", None),
        ("complex_arithmetic", "-3.00i", "-3i", None),
        ("complex_arithmetic", "4.0 - 1.0i", "(4 - i)", None),
        ("prime_factorization", "2 × 2 × 3", "3*2*2", None),
        ("fraction_simplification", "$\\dfrac{3}{4}$", "3/4", None),
        ("bitwise_arithmetic", "-0x1f", "-0X1F", None),
        ("advanced_geometry", "(7.234, -4.131)", "(7.2341, -4.131)", None),
        ("advanced_geometry", "19.01°", "19.012°", None),
        ("power_function", "8.05544726166417e-06", "8.06e-6", None),
        ("polynomial_multiplication", "6*x**2 - 2*x*y", "-2*y*x + 3*x*2*x", None),
        ("coin_flip", "0.3333333333", "0.333", HALF),
        ("coin_flip", "0.3333333333", "2/6", HALF),
        ("number_format", "10.5", "1.05e+01", SHOWN),
        ("countdown", "4*7 + 5", "5-(-7)*4", TARGET),
        ("puzzle24", "4*7 - 4", "(7*4)-4", {"numbers": [4, 7, 4]}),
        ("simple_integration", "x**2 + C", "(x + 1)**2 - 2*x + 3*C", integral("2*x")),
        ("simple_integration", "x**2 + C", "x**2" + " + 0" * 199, integral("2*x")),
        ("intermediate_integration", "-cos(x)**2/2 + C", "sin(x)**2/2", integral("sin(x)*cos(x)")),
        ("intermediate_integration", "x*log(x) - x + C", "x*(log(x) - 1)", integral("log(x)")),
        ("n_queens", "_ Q\nQ _", "Q _\n_ Q", QUEENS),
        ("palindrome_generation", "abba", "baab", {"letters": ["a", "a", "b", "b"]}),
        ("sokoban", "R", "DUR", ROOM),
        ("rubiks_cube", "F' U R'", "F F F U  R' X Y' M M2 M", CUBE),
        ("rush_hour", "A+4", "B+3 A+1 A-1 B-2 B-1 A+2 A+2", ROAD),
    ],
)
def test_answers_equivalent_to_the_gold_are_correct(
    dataset: str, gold: str, answer: str, facts: dict[str, Any] | None
) -> None:
    assert judge(dataset, gold, answer, facts).correct
    assert judge(dataset, gold, gold, facts).correct


@pytest.mark.parametrize(
    ("dataset", "gold", "answer", "facts"),
    [
        ("ab", "A# #B", "a# #b", None),
        ("game_of_life_halting", "True", "False", None),
        ("game_of_life_halting", "False", "any text", None),
        ("figlet_font", "TRANSFORMATION", "TRANSFORMATxxx", None),
        ("letter_jumble", "the sun sets", "the sun sets again", None),
        ("spell_backward", "ekilxesnu", "ekilxesnu and more", None),
        ("pool_matrix", "3.67 4.0", "3.70 4.0", None),
        ("pool_matrix", "3.67 4.0", "3.67\n4.0", None),
        ("game_of_life", "[[0,1]]", "[[0,1,0]]", None),
        ("game_of_life", "[[0,1]]", "[[false,true]]", None),
        ("game_of_life", "[[0,1]]", "[[0,1],[0,0]]", None),
        ("number_sorting", "['-1.5', '2.0']", "['-1.0', '2.5']", None),
        ("number_sorting", "['-1.5', '2.0']", "[NaN, NaN]", None),
        ("palindrome_partitioning", '[["a", "a"], ["aa"]]', '[["aa"], ["aa"]]', None),
        ("time_intervals", "34 days", "34 days or 35 days", None),
        ("time_intervals", "07:05", "7 days", None),
        ("knights_knaves", "Ada is a knight.", "Ada is a knight, Ada is a knave", None),
        ("gsm_symbolic", "42", "42 or 43", None),
        ("chain_sum", "123", "1,2,3", None),
        ("chain_sum", "123", "1_23", None),
        ("chain_sum", "123", "١٢٣", None),
        ("decimal_arithmetic", "25.413", "25.412", None),
        ("polynomial_equations", "1.5", "1.5, 2", None),
        ("polynomial_equations", "1.5", "1.5, anything", None),
        ("calendar_arithmetic", "-1", "17", None),
        ("complex_arithmetic", "4.0 - 7.0i", "nan", None),
        ("prime_factorization", "2 × 6", "2 × 2 × 3", None),
        ("fraction_simplification", "3/4", "6/8", None),
        ("fraction_simplification", "3/4", "$3/4$ or 1/4", None),
        ("advanced_geometry", "(7.234, -4.131)", "(7.234, -4.131, 5)", None),
        ("polynomial_multiplication", "x**2 + x", "x*(x + 1)", None),
        ("polynomial_multiplication", "x**2 + x", "expand(x*(x + 1))", None),
        ("coin_flip", "0.00001525878906", "0", SMALL),
        ("coin_flip", "0.3333333333", "0.33", HALF),
        ("coin_flip", "0.3333333333", "\u22120.333", HALF),
        ("number_format", "10.5", "10.501", SHOWN),
        ("number_format", "10.5", "2.250", SHOWN),
        ("countdown", "4*7 + 5", "4*7 + 5 + 0", TARGET),
        ("countdown", "4*7 + 5", "4*7 + 5**1", TARGET),
        ("countdown", "4*7 + 5", "int('33')", TARGET),
        ("puzzle24", "4*7 - 4", "8*3", {"numbers": [4, 7, 4]}),
        ("simple_integration", "x**2 + C", "Integral(2*x, x)", integral("2*x")),
        ("simple_integration", "x**2 + C", "integrate(2*x, x)", integral("2*x")),
        ("simple_integration", "x**2 + C", "x**2 + x", integral("2*x")),
        ("simple_integration", "x**2 + C", "9**9**9**9**9 + x**2", integral("2*x")),
        ("simple_integration", "x**2 + C", "exp(exp(exp(exp(exp(x)))))", integral("2*x")),
        ("simple_integration", "x**2 + C", f"x**2 + 0*log(1 + sqrt(-1)*{TINY})", integral("2*x")),
        ("simple_integration", "x**2 + C", f"x**2 + 0*atan({TINY})", integral("2*x")),
        ("simple_integration", "x**2 + C", "x**2" + " + 0" * 200, integral("2*x")),
        ("n_queens", "_ Q\nQ _", "[['_', 'Q'], ['Q', '_']]", QUEENS),
        ("palindrome_generation", "abba", "aba", {"letters": ["a", "a", "b", "b"]}),
        ("sokoban", "R", "move R", ROOM),
        ("sokoban", "R", "D", ROOM),
        ("sokoban", "R", "UR", ROOM),
        ("rubiks_cube", "F' U R'", "R' U F'", CUBE),
        ("rubiks_cube", "F' U R'", "F' U R' Q", CUBE),
        ("rush_hour", "A+4", "A+5", ROAD),
        ("rush_hour", "A+4", "B+1 A+4", ROAD),
        ("rush_hour", "A+4", "B-1 A+4", ROAD),
        ("rush_hour", "A+4", "the answer is A+4", ROAD),
    ],
)
def test_answers_that_only_resemble_the_gold_are_incorrect(
    dataset: str, gold: str, answer: str, facts: dict[str, Any] | None
) -> None:
    assert not judge(dataset, gold, answer, facts).correct


@pytest.mark.parametrize("answer", ["", " \n", "x" * 4_001, "4\x002", "4\ud8002", ("4", "2")])
def test_an_unreadable_answer_is_unparsable(answer: Any) -> None:
    verdict = judge("chain_sum", "42", answer)
    assert (verdict.correct, verdict.reason) == (False, "unparsable_answer")


def test_a_malformed_gold_is_not_the_agents_fault() -> None:
    with pytest.raises(UnparsableGold):
        judge("chain_sum", "forty-two", "42")
    with pytest.raises(UnparsableGold, match="no rule"):
        judge("another", "42", "42")


def test_every_dataset_has_one_rule() -> None:
    named = [name for names in READINGS.values() for name in names.split()]
    assert sorted([*named, *CHECKS, *PACKAGED]) == sorted(RULES)
    assert set(FACTS) == {*CHECKS, *PACKAGED}


SOLVED = {
    "cryptarithm": ("A=1,B=2,C=3,D=5", "A=1, B=4, C=3, D=7", "A=1,B=2,C=3,D=6", LETTERS),
    "graph_color": ('{"0": 1, "1": 2}', '{"0":2,"1":1}', '{"0": 1, "1": 1}', GRAPH),
    "jugs": ('["fill B", "pour B->C"]', '["fill B","pour B->A","pour A->C"]', '["fill A"]', JUGS),
    "kakurasu": ("1 0\n0 1", "10\n01", "0 1\n1 0", SUMS),
    "knight_swap": ("No", "no", '["w,A1,B3"]', {**KNIGHTS, "is_possible": False}),
    "quantum_lock": ("A → A", "A->A", "A → A → A", LOCK),
    "shortest_path": ("right down", "right  down", "down right", PATH),
    "tower_of_hanoi": (
        "Move disk 1 from Peg 1 to Peg 2",
        "Move disk 1 from Peg 1 to Peg 3\nMove disk 1 from Peg 3 to Peg 2",
        "Move disk 1 from Peg 1 to Peg 3",
        HANOI,
    ),
    "word_ladder": ("COLD,CORD,WORD,WARD", "cold,cord,card,ward", "COLD,CXLD,CXRD,WXRD,WARD", LADDER),
}


SHAPELESS = (
    "oracle_answer",
    "entry['answer']",
    "__import__('os').system('id')",
    "{gold} garbage",
    "The answer is {gold}.",
    "<answer>{gold}</answer>",
    "[{gold}, {gold}]",
    "{gold} or {gold}",
    "\u200b{gold}",
    "nan",
    "[]",
    "{}",
    "[" * 2_000,
)


def test_every_scorer_that_is_run_is_tested_here() -> None:
    assert set(SOLVED) == set(PACKAGED)


@needs_sandbox
@pytest.mark.parametrize("dataset", sorted(SOLVED))
def test_the_packages_scorer_distinguishes_right_from_wrong_in_the_sandbox(dataset: str) -> None:
    gold, right, wrong, facts = SOLVED[dataset]
    assert judge(dataset, gold, right, facts).correct
    assert not judge(dataset, gold, wrong, facts).correct


@needs_sandbox
def test_a_scorer_that_refuses_the_generators_answer_is_not_the_agents_fault() -> None:
    with pytest.raises(UnparsableGold, match="refuses"):
        judge("jugs", '["fill A"]', '["fill B", "pour B->C"]', JUGS)


@pytest.mark.parametrize("dataset", sorted(SOLVED))
def test_no_scorer_of_the_package_gets_text_without_the_shape_of_an_answer(
    dataset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unexpected(*_given: Any, **_named: Any) -> None:
        raise AssertionError("the sandbox was started")

    monkeypatch.setattr(package_scorers, "suite_run", unexpected)
    gold, _right, _wrong, facts = SOLVED[dataset]
    for answer in SHAPELESS:
        verdict = judge(dataset, gold, answer.replace("{gold}", gold), facts)
        assert (verdict.correct, verdict.reason) == (False, "unparsable_answer"), answer


@needs_sandbox
def test_the_input_of_a_scorer_contains_nothing_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = []
    run = package_scorers.suite_run
    monkeypatch.setattr(package_scorers, "suite_run", lambda *given: sent.append(given) or run(*given))
    gold, right, _wrong, facts = SOLVED["word_ladder"]
    assert judge("word_ladder", gold, right, facts).correct
    ((program, suite),) = sent
    assert str(Path.cwd()) not in program
    words = [
        json.loads(call.removeprefix("is_right('").removesuffix("')"))["words"] for call, _ in suite.pairs
    ]
    assert words == [["COLD", "CORD", "WARD", "WORD"], ["CARD", "COLD", "CORD", "WARD"]]
