"""Accuracy by policy version, where a report has more than one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trajectories.reports.analysis import Analysis
from trajectories.reports.estimators import accuracy as estimator
from trajectories.reports.ladder import ArmKey
from trajectories.reports.tables import COUNT, PERCENT, Column, Row, Table, with_ends

COLUMNS = (
    Column("benchmark", "Benchmark"),
    Column("arm", "Arm"),
    Column("version", "Policy version", COUNT),
    Column("items", "Items", COUNT),
    Column("accuracy", "Accuracy", PERCENT),
    Column("low", "Low", PERCENT),
    Column("high", "High", PERCENT),
    Column("note", "Note"),
)


def version_table(analyses: Sequence[Analysis]) -> Table:
    rows = [row for analysis in analyses for key in analysis.arms for row in _rows(analysis, key)]
    return Table(id="versions", title="Accuracy over policy versions", columns=COLUMNS, rows=rows)


def _rows(analysis: Analysis, key: ArmKey) -> Iterator[Row]:
    versions = analysis.data.policy_versions(key)
    if len(versions) < 2:
        return
    for version in versions:
        answers = analysis.data.answers(key, analysis.items, version=version)
        estimate = estimator.accuracy(answers, alpha=analysis.alpha)
        row: dict[str, Any] = {
            "benchmark": analysis.benchmark,
            "arm": key.id,
            "version": version,
            "items": estimate.items,
            **with_ends("accuracy", estimate),
            "note": estimate.reason,
            "links": {"accuracy": analysis.episodes_link(key, policy_version=str(version))},
        }
        yield row
