"""How long the thoughts are in each arm."""

from __future__ import annotations

from collections.abc import Sequence

from core.sql import Statement
from trajectories.reports import setups
from trajectories.reports.analysis import Analysis
from trajectories.reports.estimators.accuracy import FEW_ITEMS
from trajectories.reports.estimators.clusters import ITEMS_MIN
from trajectories.reports.ladder import ArmKey, arm_of
from trajectories.reports.statistics import clustered_mean
from trajectories.reports.tables import COUNT, WORDS, Column, Row, Table, number

COLUMNS = (
    Column("benchmark", "Benchmark"),
    Column("arm", "Arm"),
    Column("items", "Items", COUNT),
    Column("episodes", "Episodes", COUNT),
    Column("words", "Words per step", WORDS),
    Column("low", "Low", WORDS),
    Column("high", "High", WORDS),
    Column("note", "Note"),
)
NOTE = (
    "Words of a thought, as the mean over an episode's steps, then over episodes; 95% intervals clustered by "
    "item. Hidden thoughts are not counted."
)
BY_ITEM = Statement(__file__, "thoughts")

Sums = dict[tuple[str, ArmKey], list[tuple[int, float]]]


def thought_table(analyses: Sequence[Analysis]) -> Table:
    sums = _sums(analyses[0]) if analyses else {}
    rows = [row for analysis in analyses for row in _rows(analysis, sums)]
    notes = [NOTE] if rows else []
    return Table(id="thoughts", title="Length of thoughts", columns=COLUMNS, rows=rows, notes=notes)


def _sums(analysis: Analysis) -> Sums:
    """Of all benchmarks: the runs and the plan are the report's."""
    sums: Sums = {}
    for benchmark, arm, retest, observation, _, count, total in BY_ITEM.rows(runs=list(analysis.runs)):
        key = arm_of(analysis.plan["arms"], arm=arm, retest=retest, observation=observation)
        sums.setdefault((benchmark, key), []).append((count, total))
    return sums


def _rows(analysis: Analysis, sums: Sums) -> list[Row]:
    rows: list[Row] = []
    for key in setups.arm_order(analysis.data.arms):
        mean = clustered_mean(sums.get((analysis.benchmark, key), []))
        if mean is None:
            continue
        is_few = mean.tasks < ITEMS_MIN
        has_width = not is_few and mean.low is not None and mean.high is not None and mean.low < mean.high
        rows.append(
            {
                "benchmark": analysis.benchmark,
                "arm": key.id,
                "items": mean.tasks,
                "episodes": mean.episodes,
                "words": number(mean.mean),
                "low": number(mean.low) if has_width else None,
                "high": number(mean.high) if has_width else None,
                "note": "" if has_width else FEW_ITEMS if is_few else "nothing varies between items",
                "links": {"words": analysis.episodes_link(key)},
            }
        )
    return rows
