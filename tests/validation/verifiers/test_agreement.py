"""Agreement with published verdicts: the arithmetic, the command, and the floors we promise to stay above."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from validation.verifiers import agreement
from verifiers import registry
from verifiers.children import VerifierCrash
from verifiers.mathtext import symbolic
from verifiers.types import Evidence, Gold, UnparsableGold, Verdict

pytestmark = pytest.mark.slow

registry.discover()

CASES = Path(__file__).parents[4] / "shared" / "data" / "verifier_cases"
OWN_CASES = Path(__file__).with_name("math_cases")
"""Pairs written before the rules: the open ones have been looked at since, of the others only the score."""
OWN_FLOORS = {"open": (2, 1), "held_out": (10, 5)}
FLOORS = {  # at most so many disagreements, at most so many of them false positives
    "gsm8k_openai_model_solutions": (0, 0),
    "math_verify_tests": (1, 0),
    "nemo_skills_math_equal": (0, 0),
    "qwen25_math_cot_outputs": (1, 1),
    "hardverify_math": (19, 0),
    "hendrycks_math_equivalence": (1, 1),
    "mbpp_gpt4_solutions": (0, 0),
    "arc_evaluator_tests": (0, 0),
    "chartqa_free_text": (0, 0),
    "chartqa_model_outputs": (0, 0),
    "lighteval_extractive_match": (0, 0),
    "lighteval_gpqa_instruct": (0, 0),
    "mmmu_pro_gpt4o_outputs": (1, 1),  # "D. ...AUGUSTE ..." was read as E, the letter before the space
    "mmmu_val_official_outputs": (0, 0),
    "pix2struct_relaxed_accuracy": (0, 0),
    "rllm_math_reward": (2, 2),  # right numbers refused because that grader demands a box
    "scienceqa_model_outputs": (0, 0),
    "wikitablequestions_tablecot": (0, 0),
}


def judge(verifier_id: str, gold: Gold, evidence: Evidence) -> Verdict:
    try:
        return registry.run(verifier_id, gold=gold, evidence=evidence)
    except UnparsableGold as error:
        raise VerifierCrash("verifier_error", str(error)) from error


def write_cases(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def row(gold: object, prediction: str, expected: bool, benchmark: str = "math") -> dict[str, object]:
    return {
        "benchmark": benchmark,
        "gold": gold,
        "prediction": prediction,
        "expected": expected,
        "source": "here",
    }


def run_command(path: Path) -> str:
    out = io.StringIO()
    call_command("check_verifiers", str(path), stdout=out)
    return out.getvalue()


def test_a_disagreement_is_counted_and_listed(tmp_path: Path) -> None:
    path = write_cases(
        tmp_path / "cases.jsonl",
        row("1/2", "0.5", False),
        row("7", "8", True),
        row("7", "7", True),
        row("A", "A", True, "gpqa"),
    )
    text = run_command(tmp_path)
    assert "cases.jsonl (math): math-v1, n 3, agreement 1 of 3" in text
    assert "false positives: 1 of 1" in text
    assert "false negatives: 1 of 2" in text
    assert "false negative: gold '7', answer '8' (read as '8'), here" in text
    assert "cases.jsonl (gpqa): n 1, no verifier yet" in text
    assert path.exists()


def test_a_table_compares_math_verify_with_ours(tmp_path: Path) -> None:
    write_cases(
        tmp_path / "c.jsonl",
        row("3", "\\frac{6}{2}", True),
        row("10^{-40}", "$2\\cdot 10^{-40}$", False),
        row("A", "A", True, "arc"),
    )
    out = io.StringIO()
    call_command("check_verifiers", str(tmp_path), "--table", stdout=out)
    (_, mathematics, letters) = (line.split() for line in out.getvalue().splitlines())
    assert mathematics == ["c.jsonl", "(math)", "2", "2", "0", "0", "1", "1", "0"]
    assert letters == ["c.jsonl", "(arc)", "1", "1", "0", "0"]


def test_any_gold_of_a_list_is_accepted_and_a_completion_is_reduced_to_its_answer(tmp_path: Path) -> None:
    path = write_cases(
        tmp_path / "c.jsonl", row(["0.5", "one half"], "I think so.\n" * 40 + "\\boxed{1/2}", True)
    )
    (report,) = agreement.check_file(path, judge)
    assert not report.disagreements


def test_an_unreadable_gold_is_counted_as_not_correct(tmp_path: Path) -> None:
    write_cases(tmp_path / "c.jsonl", row("\\boxed{}", "42", False))
    assert "not judged, counted as not correct: 1" in run_command(tmp_path)


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"benchmark": "math"}\n')
    with pytest.raises(CommandError, match="line 1"):
        run_command(tmp_path)


def test_a_path_without_cases_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no JSONL file"):
        run_command(tmp_path)


@pytest.mark.parametrize("name", OWN_FLOORS)
def test_agreement_with_our_own_pairs_stays_above_its_floor(name: str) -> None:
    (report,) = agreement.check_file(OWN_CASES / f"{name}.jsonl", judge)
    most, most_false_positives = OWN_FLOORS[name]
    wrong, false_positives = len(report.disagreements), report.count("false positive")
    del report  # what fails must not be shown: the held-out pairs stay unseen
    assert wrong <= most
    assert false_positives <= most_false_positives


@pytest.mark.skipif(not CASES.is_dir(), reason="../shared/data is not on this machine")
@pytest.mark.parametrize("name", FLOORS)
def test_agreement_stays_above_its_floor(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Agreement must not depend on how fast the machine is.
    monkeypatch.setattr(symbolic, "CPU_S", 5 * symbolic.CPU_S)
    if name.startswith("mbpp") and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed here")
    reports = agreement.check_file(CASES / f"{name}.jsonl", judge)
    most, most_false_positives = FLOORS[name]
    assert all(report.verifier for report in reports)
    assert sum(len(report.disagreements) for report in reports) <= most
    assert sum(report.count("false positive") for report in reports) <= most_false_positives
