"""Losses planted in a simulated policy, beside the report's estimates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trajectories.reports.analysis import Analysis
from trajectories.reports.ladder import ArmKey
from trajectories.reports.tables import POINTS, Column, Row, Table, scaled

PLANTED = "planted_accuracy"
COLUMNS = (
    Column("benchmark", "Benchmark"),
    Column("quantity", "Quantity"),
    Column("contrast", "Arms"),
    Column("planted", "Planted", POINTS),
    Column("estimate", "Estimate", POINTS),
    Column("low", "Low", POINTS),
    Column("high", "High", POINTS),
    Column("recovered", "Recovered"),
    Column("note", "Note"),
)
DRAWN = "Simulated: answers were drawn with these accuracies and gaps, in points of 100."
NO_INTERVAL = "None has an interval."
EXPECTED = "{} of {} are within their intervals; {:.0f} are expected to be, on average."


def planted_table(analyses: Sequence[Analysis], tables: Sequence[Table]) -> Table | None:
    """Compare the planted accuracies, rungs and retests with the tables; None if nothing was planted."""
    by_id = {table.id: table.rows for table in tables}
    gaps = [*by_id["rungs"], *(row for row in by_id["gaps"] if row["is_retest"])]
    rows = [row for analysis in analyses for row in _rows(analysis, by_id["accuracy"], gaps)]
    if not rows:
        return None
    decided = [row["recovered"] for row in rows if row["recovered"]]
    confidence = 1 - analyses[0].alpha
    summary = EXPECTED.format(decided.count("yes"), len(decided), confidence * len(decided))
    return Table(
        id="planted",
        title="Planted and estimated",
        columns=COLUMNS,
        rows=rows,
        notes=[DRAWN, summary if decided else NO_INTERVAL],
    )


def _rows(analysis: Analysis, accuracies: Sequence[Row], gaps: Sequence[Row]) -> Iterator[Row]:
    planted = {key.id: value for key in analysis.arms if (value := _planted(analysis, key)) is not None}
    for row in accuracies:
        if row["benchmark"] == analysis.benchmark and row["arm"] in planted:
            yield _row(row, "accuracy", row["arm"], planted[row["arm"]], "accuracy")
    for row in gaps:
        if row["benchmark"] == analysis.benchmark and {row["a"], row["b"]} <= planted.keys():
            gap = planted[row["a"]] - planted[row["b"]]
            yield _row(row, row.get("rung", "retest"), row["contrast"], gap, "gap")


def _planted(analysis: Analysis, key: ArmKey) -> float | None:
    """The accuracy that an arm's runs were made to have; None where they were not, or not alike."""
    values = {analysis.runs[run].settings.get(PLANTED) for run in analysis.data.arms[key].runs}
    value = values.pop() if len(values) == 1 else None
    return float(value) if isinstance(value, int | float) else None


def _row(row: Row, quantity: str, arms: str, planted: float, column: str) -> dict[str, Any]:
    """``column`` of ``row`` is the estimate."""
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
