"""What each arm was played with."""

from __future__ import annotations

from collections.abc import Sequence

from trajectories.reports import setups
from trajectories.reports.analysis import Analysis
from trajectories.reports.tables import Column, Table

PARTS = (
    "model",
    "checkpoint",
    "policy version",
    "prompt version",
    "observation",
    "observation settings",
    "grammar",
    "history",
    "actions_per_turn",
)
COLUMNS = (
    Column("benchmark", "Benchmark"),
    Column("arm", "Arm"),
    *(Column(part.replace(" ", "_"), part.replace("_", " ").capitalize()) for part in PARTS),
)


def setup_table(analyses: Sequence[Analysis]) -> Table:
    rows = [
        {
            "benchmark": analysis.benchmark,
            "arm": key.id,
            **{
                part.replace(" ", "_"): setups.words_of(setup[part]) if part in setup else None
                for part in PARTS
            },
        }
        for analysis in analyses
        for key in setups.arm_order(analysis.setups)
        for setup in analysis.setups[key]
    ]
    return Table(id="setups", title="Set-ups", columns=COLUMNS, rows=rows)
