"""Set-up of each arm."""

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
    "token budget",
    "prompt token budget",
    "sampling",
    "step limit",
    "answer channel",
    "tools",
    "choices",
    "instruction",
    "text",
    "task bar",
    "examples",
    "kind",
    "simulated",
)
HEAD = (Column("benchmark", "Benchmark"), Column("arm", "Arm"))
# Of a part that is so in all arms the table says nothing.
UNREMARKABLE = frozenset({None, "none", "default", setups.DRAWN, "no", "eval", "page"})


def setup_table(analyses: Sequence[Analysis]) -> Table:
    rows = [
        {
            "benchmark": analysis.benchmark,
            "arm": key.id,
            **{_id(part): setups.words_of(setup[part]) if part in setup else None for part in PARTS},
        }
        for analysis in analyses
        for key in setups.arm_order(analysis.setups)
        for setup in analysis.setups[key]
    ]
    shown = [part for part in PARTS if any(row[_id(part)] not in UNREMARKABLE for row in rows)]
    columns = [*HEAD, *(Column(_id(part), part.replace("_", " ").capitalize()) for part in shown)]
    return Table(id="setups", title="Set-ups", columns=columns, rows=rows)


def _id(part: str) -> str:
    return part.replace(" ", "_")
