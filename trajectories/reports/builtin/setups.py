"""The table with the set-up of each arm."""

from __future__ import annotations

from collections.abc import Sequence

from trajectories.reports import setups
from trajectories.reports.analysis import Analysis
from trajectories.reports.registry import report_table
from trajectories.reports.tables import BY_ARM, Column, Row

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
# A part that has only these values in all arms is left out of the table.
UNREMARKABLE = frozenset({None, "none", "default", setups.DRAWN, "no", "eval", "page"})


def _columns(_analyses: Sequence[Analysis], rows: Sequence[Row]) -> list[Column]:
    varied = [part for part in PARTS if any(row[_id(part)] not in UNREMARKABLE for row in rows)]
    return [*BY_ARM, *(Column(_id(part), part.replace("_", " ").capitalize()) for part in varied)]


@report_table("setups", "Set-ups", 120, columns=_columns, is_reference=True)
def setup_rows(analysis: Analysis) -> list[Row]:
    return [
        {
            **analysis.arm_cells(key),
            **{_id(part): setups.words_of(setup[part]) if part in setup else None for part in PARTS},
        }
        for key in setups.arm_order(analysis.setups)
        for setup in analysis.setups[key]
    ]


def _id(part: str) -> str:
    return part.replace(" ", "_")
