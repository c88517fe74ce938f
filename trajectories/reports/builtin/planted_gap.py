"""The table that compares the accuracies planted in a simulated policy with the report's estimates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trajectories.reports.analysis import Analysis
from trajectories.reports.builtin.accuracy import accuracy_rows
from trajectories.reports.builtin.gaps import gap_rows, rung_rows
from trajectories.reports.charts.forest import Forest
from trajectories.reports.ladder import ArmKey
from trajectories.reports.registry import Chart, report_table
from trajectories.reports.tables import POINTS, Column, Row, interval_columns, scaled

PLANTED = "planted_accuracy"
COLUMNS = (
    Column("benchmark", "Benchmark"),
    Column("quantity", "Quantity"),
    Column("contrast", "Arms"),
    Column("planted", "Planted", POINTS),
    *interval_columns("estimate", "Estimate", POINTS),
    Column("recovered", "Recovered"),
    Column("note", "Note"),
)
DRAWN = "Simulated: answers were drawn with these accuracies and gaps, in points of 100."
NO_INTERVAL = "None of the estimates has an interval."
EXPECTED = "{} of {} planted values are within their intervals; on average, {:.0f} are expected to be."


def _notes(analyses: Sequence[Analysis], rows: Sequence[Row]) -> list[str]:
    decided = [row["recovered"] for row in rows if row["recovered"]]
    expected = (1 - analyses[0].alpha) * len(decided)
    summary = EXPECTED.format(decided.count("yes"), len(decided), expected)
    return [DRAWN, summary if decided else NO_INTERVAL]


@report_table(
    "planted",
    "Planted and estimated",
    0,
    columns=COLUMNS,
    notes=_notes,
    main=("benchmark", "quantity", "contrast", "planted", "estimate", "low", "high", "recovered"),
    chart=Chart(
        draw=Forest(
            value="estimate", label=("quantity", "contrast"), unit="points of 100", truth="planted"
        ).draw,
        caption="Filled: the estimate with its interval. Hollow: what was planted.",
    ),
    is_optional=True,
)
def planted_rows(analysis: Analysis) -> Iterator[Row]:
    """Compare the planted accuracies, rungs and retests with their estimates."""
    planted = {key.id: value for key in analysis.arms if (value := _planted(analysis, key)) is not None}
    for row in analysis.once(accuracy_rows):
        if row["arm"] in planted:
            yield _row(row, "accuracy", row["arm"], planted[row["arm"]], "accuracy")
    retests = (row for row in analysis.once(gap_rows) if row["is_retest"])
    for row in (*analysis.once(rung_rows), *retests):
        if {row["a"], row["b"]} <= planted.keys():
            gap = planted[row["a"]] - planted[row["b"]]
            yield _row(row, row.get("rung", "retest"), row["contrast"], gap, "gap")


def _planted(analysis: Analysis, key: ArmKey) -> float | None:
    """Return the accuracy planted in an arm's runs, or None if there is none or the runs differ."""
    values = {analysis.runs[run].settings.get(PLANTED) for run in analysis.data.arms[key].runs}
    value = values.pop() if len(values) == 1 else None
    return float(value) if isinstance(value, int | float) else None


def _row(row: Row, quantity: str, arms: str, planted: float, column: str) -> dict[str, Any]:
    """Return the cells that compare a planted value with the estimate in ``column`` of ``row``."""
    value, low, high = scaled(planted), row.get("low"), row.get("high")
    is_within = None if value is None or low is None or high is None else low <= value <= high
    return {
        "benchmark": row["benchmark"],
        "quantity": quantity,
        "contrast": arms,
        "planted": value,
        "estimate": row.get(column),
        "low": low,
        "high": high,
        "recovered": None if is_within is None else "yes" if is_within else "no",
        "note": row.get("note") or "",
        "links": {"estimate": row.get("links", {}).get(column, "")},
    }
