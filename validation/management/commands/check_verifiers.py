"""``manage.py check_verifiers PATH``: agreement of our verifiers with published verdicts."""

from __future__ import annotations

import logging
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from core.commands import GymCommand
from core.statistics import wilson
from validation.verifiers import agreement
from verifiers import registry
from verifiers.children import ChildPool, judge_guarded
from verifiers.types import Evidence, Gold, Verdict

SHOWN_CHARS = 100
ROW = "{:60} {:>4} {:>7} {:>3} {:>3} {:>12} {:>3} {:>3}"


class Command(GymCommand):
    help = "Compare our verifiers with published verdicts (JSONL files) and list every disagreement."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, help="A JSONL file, or a folder of JSONL files.")
        parser.add_argument(
            "--table", action="store_true", help="Print one line per file, next to math-verify's results."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"]
        files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        if not files or not all(file.is_file() for file in files):
            raise CommandError(f"There is no JSONL file at {path}.")
        pool = ChildPool(1)

        def judge(verifier_id: str, gold: Gold, evidence: Evidence) -> Verdict:
            if verifier_id in registry.list_sandboxed():
                return registry.run(verifier_id, gold=gold, evidence=evidence)
            return judge_guarded(pool, verifier_id=verifier_id, gold=gold, evidence=evidence)

        if options["table"]:
            self.stdout.write(ROW.format("file", "n", "agreed", "FP", "FN", *["math-verify", "FP", "FN"]))
        try:
            for file in files:
                for report in agreement.check_file(file, judge):
                    if options["table"]:
                        self._print_row(report, self._baseline(file, report))
                    else:
                        self._print(report)
        finally:
            pool.close()

    def _baseline(self, file: Path, report: agreement.Report) -> agreement.Report | None:
        if report.benchmark not in agreement.MATHEMATICAL:
            return None
        logging.getLogger("math_verify").setLevel(logging.CRITICAL)
        reports = agreement.check_file(file, agreement.math_verify_judge)
        return next(other for other in reports if other.benchmark == report.benchmark)

    def _print_row(self, report: agreement.Report, baseline: agreement.Report | None) -> None:
        counts = [_counts(side) if side else ["", "", ""] for side in (report, baseline)]
        name = f"{report.file} ({report.benchmark})"
        self.stdout.write(ROW.format(name, report.size, *counts[0], *counts[1]).rstrip())

    def _print(self, report: agreement.Report) -> None:
        name = f"{report.file} ({report.benchmark})"
        if not report.verifier:
            self.stdout.write(f"{name}: n {report.size}, no verifier yet")
            return
        self.stdout.write(
            f"{name}: {report.verifier}, n {report.size}, agreement {_share(report.agreed, report.size)}"
        )
        for kind, trials in (("false positive", report.negatives), ("false negative", report.positives)):
            self.stdout.write(f"  {kind}s: {_share(report.count(kind), trials)}")
        if report.unjudged:
            self.stdout.write(f"  not judged, counted as not correct: {report.unjudged}")
        for disagreement in report.disagreements:
            self.stdout.write(f"    {disagreement.kind}: {_description(disagreement)}")


def _counts(report: agreement.Report) -> list[int]:
    return [report.agreed, report.count("false positive"), report.count("false negative")]


def _share(hits: int, trials: int) -> str:
    if not trials:
        return "0 of 0"
    low, high = wilson(share=hits / trials, n=trials)
    return f"{hits} of {trials} = {hits / trials:.1%} [{low:.1%}, {high:.1%}]"


def _description(disagreement: agreement.Disagreement) -> str:
    case, verdict = disagreement.case, disagreement.verdict
    read = f" (read as {_short(verdict.parsed_answer)})" if verdict else ""
    return f"gold {_short(case.gold.answer)}, answer {_short(case.prediction)}{read}, {case.source}"


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return repr(one_line if len(one_line) <= SHOWN_CHARS else "..." + one_line[-SHOWN_CHARS:])
