"""Comparison of our verifiers' verdicts with published ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import GymError
from validation.verifiers import completions
from validation.verifiers.extraction import extract
from verifiers import denotations
from verifiers.answer_text import make_verdict
from verifiers.types import Evidence, Gold, Verdict

VERIFIER_OF_BENCHMARK = {
    "gsm8k": "numeric-v1",
    "math": "math-v1",
    "mbpp": "code-v1",
    "mmlu": "choice-v2",
    "arc": "choice-v2",
    "sciq": "choice-v2",
    "scienceqa": "choice-v2",
    "multiple_choice": "choice-v2",
    "mmmu": "mmmu-v1",
    "mmmu_open": "mmmu-v1",
    "chartqa": "relaxed-v1",
    "chartqa_free_text": "relaxed-v1",
    "wikitablequestions": "denotation-v1",
}
MATHEMATICAL = frozenset({"gsm8k", "math"})
LETTERED = frozenset({"mmlu", "sciq", "scienceqa", "multiple_choice"})
EXTRA_FIELDS = {"options": "options", "question_type": "question_type", "test_setup_code": "setup"}
"""Fields of a case that its verifier needs, mapped to their names in the gold's ``extra``."""
MAX_GOLD_WORDS = 40

Judge = Callable[[str, Gold, Evidence], Verdict]
"""A function from verifier id, gold and evidence to a verdict; raises ``GymError`` if the verifier fails."""


@dataclass(frozen=True)
class Case:
    """An answer with a known verdict (a line in a ``verifier_cases`` file)."""

    benchmark: str
    gold: Gold
    prediction: str
    expected: bool
    source: str
    answers: tuple[str, ...] | None = None
    """The prediction's items, if it is a list."""


@dataclass(frozen=True)
class Disagreement:
    case: Case
    verdict: Verdict | None

    @property
    def kind(self) -> str:
        return "false negative" if self.case.expected else "false positive"


@dataclass(frozen=True)
class Report:
    """The judged cases of one benchmark in one file; ``verifier`` is "" if the benchmark has none yet.

    ``unjudged`` counts cases on which the verifier failed (on an unreadable gold, for example); they count as
    incorrect.
    """

    file: str
    benchmark: str
    verifier: str
    positives: int
    negatives: int
    disagreements: tuple[Disagreement, ...] = ()
    unjudged: int = 0

    @property
    def agreed(self) -> int:
        return self.size - len(self.disagreements)

    @property
    def size(self) -> int:
        return self.positives + self.negatives

    def count(self, kind: str) -> int:
        """Count the disagreements of a kind."""
        return sum(disagreement.kind == kind for disagreement in self.disagreements)


def read_cases(path: Path) -> Iterator[Case]:
    """Yield a JSONL file's cases. Raises ``GymError`` ``bad_case`` with the number of an unreadable line."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip():
            try:
                yield _case(json.loads(line))
            except KeyError as error:
                message = f"{path.name} line {number} is not a case: it has no field {error}."
                raise GymError("bad_case", message) from error
            except (ValueError, TypeError) as error:
                raise GymError("bad_case", f"{path.name} line {number} is not a case: {error}.") from error


def _case(row: dict[str, Any]) -> Case:
    prediction = row["prediction"]
    is_list = isinstance(prediction, list)
    return Case(
        benchmark=row["benchmark"],
        gold=_gold(row),
        prediction=prediction if isinstance(prediction, str) else json.dumps(prediction),
        expected=bool(row["expected"]),
        source=str(row.get("source", "")),
        answers=tuple(str(answer) for answer in prediction) if is_list else None,
    )


def _gold(row: dict[str, Any]) -> Gold:
    golds = [str(gold) for gold in row["gold"]] if isinstance(row["gold"], list) else [str(row["gold"])]
    if row["benchmark"] == "wikitablequestions":
        canonical = [str(item) for item in row.get("gold_canonical") or ()]
        extra = {"canonical": denotations.join_cell(canonical)} if canonical else {}
        return Gold(denotations.join_cell(golds), extra=extra)
    first, *others = golds or [""]
    extra = {name: row[field] for field, name in EXTRA_FIELDS.items() if row.get(field)}
    return Gold(first, accepted=tuple(others), extra=extra)


def check_file(path: Path, judge: Judge) -> list[Report]:
    """Judge the cases in a file and return one report per benchmark."""
    by_benchmark: dict[str, list[Case]] = {}
    for case in read_cases(path):
        by_benchmark.setdefault(case.benchmark, []).append(case)
    return [_report(path.name, benchmark, cases, judge) for benchmark, cases in by_benchmark.items()]


def _report(file: str, benchmark: str, cases: Sequence[Case], judge: Judge) -> Report:
    verifier_id = VERIFIER_OF_BENCHMARK.get(benchmark, "")
    positives = sum(case.expected for case in cases)
    make_verdict = [(case, judge_prediction(case, verifier_id, judge)) for case in cases if verifier_id]
    return Report(
        file=file,
        benchmark=benchmark,
        verifier=verifier_id,
        positives=positives,
        negatives=len(cases) - positives,
        disagreements=tuple(
            Disagreement(case, verdict)
            for case, verdict in make_verdict
            if (verdict is not None and verdict.correct) is not case.expected
        ),
        unjudged=sum(verdict is None for _, verdict in make_verdict),
    )


def judge_prediction(case: Case, verifier_id: str, judge: Judge) -> Verdict | None:
    """Judge the answer that the benchmark's published rule extracts from a prediction.

    Returns None if the verifier itself fails.
    """
    try:
        if case.benchmark in MATHEMATICAL:
            return _judge_mathematics(case, verifier_id, judge)
        gold = case.gold
        if case.benchmark in LETTERED:  # the gold may be the text of a choice
            gold = replace(gold, answer=completions.find_letter(gold.answer) or gold.answer)
        if case.answers is not None:
            return judge(verifier_id, gold, Evidence(case.answers))
        candidates = completions.candidates(case.benchmark, gold, case.prediction)
        verdicts = [judge(verifier_id, gold, evidence) for evidence in candidates]
        return next((verdict for verdict in verdicts if verdict.correct), verdicts[-1])
    except GymError:
        return None


def _judge_mathematics(case: Case, verifier_id: str, judge: Judge) -> Verdict:
    """Judge a mathematical prediction; one that is not a bare answer goes through ``extract``."""
    gold = Gold(_answer_in(case.gold.answer), tuple(map(_answer_in, case.gold.accepted)))
    verdict = judge(verifier_id, gold, Evidence(case.prediction))
    if verdict.reason != "unparsable_answer":
        return verdict
    answer = extract(case.prediction)
    return verdict if answer is None else judge(verifier_id, gold, Evidence(answer))


def math_verify_judge(_verifier_id: str, gold: Gold, evidence: Evidence) -> Verdict:
    """Judge by math-verify alone, with its default settings, as a baseline."""
    import math_verify

    answer = math_verify.parse(str(evidence.answer))
    golds = (math_verify.parse(_in_dollars(text)) for text in (gold.answer, *gold.accepted))
    return make_verdict(
        any(math_verify.verify(gold_answer, answer) for gold_answer in golds),
        gold=gold.answer,
        answer=str(answer),
    )


def _in_dollars(formula: str) -> str:
    """Wrap a formula in dollar signs; outside them and boxes, math-verify only reads plain numbers."""
    return formula if "$" in formula or "\\boxed" in formula else f"${formula}$"


def _answer_in(gold: str) -> str:
    """Reduce a gold that is a worked solution to its final answer."""
    return (extract(gold) or gold) if len(gold.split()) > MAX_GOLD_WORDS else gold
