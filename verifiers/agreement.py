"""How far our verifiers agree with verdicts that others have published."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gymsite.core.errors import GymError
from verifiers import registry
from verifiers.extraction import extract
from verifiers.types import Evidence, Gold, Verdict

VERIFIER_OF_BENCHMARK = {"gsm8k": "numeric-v1", "math": "math-v1", "mbpp": "code-v1"}
Z_95 = 1.959964
MAX_GOLD_WORDS = 40

Judge = Callable[[str, Gold, Evidence], Verdict]
"""Verifier id, gold and evidence to a verdict; failures of the verifier itself are raised as ``GymError``."""


@dataclass(frozen=True)
class Case:
    """One answer with a known verdict (a line of a ``verifier_cases`` file)."""

    benchmark: str
    gold: Gold
    prediction: str
    expected: bool
    source: str


@dataclass(frozen=True)
class Disagreement:
    case: Case
    verdict: Verdict | None

    @property
    def kind(self) -> str:
        return "false negative" if self.case.expected else "false positive"


@dataclass(frozen=True)
class Report:
    """The cases of one benchmark in one file, judged. ``verifier`` is "" when there is none yet.

    ``unjudged`` cases, whose verifier failed (on an unreadable gold, for one), count as not correct.
    """

    file: str
    benchmark: str
    verifier: str
    positives: int
    negatives: int
    disagreements: tuple[Disagreement, ...] = ()
    unjudged: int = 0

    @property
    def size(self) -> int:
        return self.positives + self.negatives

    def count(self, kind: str) -> int:
        return sum(found.kind == kind for found in self.disagreements)


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """The 95% interval of a proportion (Wilson 1927); (0, 1) without trials."""
    if not trials:
        return 0.0, 1.0
    share, spread = hits / trials, Z_95**2 / trials
    middle = (share + spread / 2) / (1 + spread)
    half = Z_95 * math.sqrt(share * (1 - share) / trials + spread / trials / 4) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def read_cases(path: Path) -> Iterator[Case]:
    """The cases of one JSONL file. Raises ``GymError`` ``bad_case`` with the line that cannot be read."""
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
    golds = row["gold"] if isinstance(row["gold"], list) else [row["gold"]]
    first, *others = [str(gold) for gold in golds] or [""]
    return Case(
        benchmark=row["benchmark"],
        gold=Gold(first, accepted=tuple(others), extra=_extra(row)),
        prediction=row["prediction"] if isinstance(row["prediction"], str) else json.dumps(row["prediction"]),
        expected=bool(row["expected"]),
        source=str(row.get("source", "")),
    )


def _extra(row: dict[str, Any]) -> dict[str, Any]:
    return {"setup": row["test_setup_code"]} if row.get("test_setup_code") else {}


def check_file(path: Path, judge: Judge) -> list[Report]:
    """One report for each benchmark in the file."""
    by_benchmark: dict[str, list[Case]] = {}
    for case in read_cases(path):
        by_benchmark.setdefault(case.benchmark, []).append(case)
    return [_report(path.name, benchmark, cases, judge) for benchmark, cases in by_benchmark.items()]


def _report(file: str, benchmark: str, cases: Sequence[Case], judge: Judge) -> Report:
    verifier_id = VERIFIER_OF_BENCHMARK.get(benchmark, "")
    positives = sum(case.expected for case in cases)
    judged = [(case, judge_prediction(case, verifier_id, judge)) for case in cases if verifier_id]
    return Report(
        file=file,
        benchmark=benchmark,
        verifier=verifier_id,
        positives=positives,
        negatives=len(cases) - positives,
        disagreements=tuple(
            Disagreement(case, verdict)
            for case, verdict in judged
            if (verdict is not None and verdict.correct) is not case.expected
        ),
        unjudged=sum(verdict is None for _, verdict in judged),
    )


def judge_prediction(case: Case, verifier_id: str, judge: Judge) -> Verdict | None:
    """The verdict on a prediction; one that is no answer in itself goes through ``extract``.

    None when the verifier itself failed.
    """
    if verifier_id in registry.sandboxed():  # a program is judged whole
        return judge(verifier_id, case.gold, Evidence(case.prediction))
    accepted = tuple(_answer_in(answer) for answer in case.gold.accepted)
    gold = Gold(_answer_in(case.gold.answer), accepted)
    try:
        verdict = judge(verifier_id, gold, Evidence(case.prediction))
        if verdict.reason != "unparsable_answer":
            return verdict
        answer = extract(case.prediction)
        return verdict if answer is None else judge(verifier_id, gold, Evidence(answer))
    except GymError:
        return None


def _answer_in(gold: str) -> str:
    """A gold given as a worked solution, reduced to its answer."""
    return (extract(gold) or gold) if len(gold.split()) > MAX_GOLD_WORDS else gold
