"""The table of accuracy by policy version, for arms with more than one version."""

from __future__ import annotations

from collections.abc import Iterator

from trajectories.reports.analysis import Analysis
from trajectories.reports.charts.panels import versions_draw
from trajectories.reports.estimators import accuracy as estimator
from trajectories.reports.registry import Chart, report_table
from trajectories.reports.tables import BY_ARM, COUNT, PERCENT, Column, Row, interval_columns, with_ends

COLUMNS = (
    *BY_ARM,
    Column("version", "Policy version", COUNT),
    Column("items", "Items", COUNT),
    *interval_columns("accuracy", "Accuracy", PERCENT),
    Column("note", "Note"),
)


@report_table(
    "versions",
    "Accuracy over policy versions",
    50,
    columns=COLUMNS,
    chart=Chart(draw=versions_draw, caption="A gap closes where the lines of text and page meet."),
)
def version_rows(analysis: Analysis) -> Iterator[Row]:
    for key in analysis.arms:
        versions = analysis.data.policy_versions(key)
        for version in versions if len(versions) > 1 else ():
            answers = analysis.data.answers(key, analysis.items, version=version)
            estimate = estimator.accuracy(answers, alpha=analysis.alpha)
            yield {
                **analysis.arm_cells(key),
                "version": version,
                "items": estimate.items,
                **with_ends("accuracy", estimate),
                "note": estimate.reason,
                "links": {"accuracy": analysis.episodes_link(key, policy_version=str(version))},
            }
