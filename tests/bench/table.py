"""Measurements as rows: each value with its target and with its floor or peer, measured in the same run."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """A measured ``value`` in ``unit``; ``peer`` is the same measurement on the floor named in ``beside``."""

    name: str
    value: float
    unit: str
    target: float
    is_lower_better: bool = False
    peer: float | None = None
    beside: str = ""
    ratio_target: float | None = None  # the target of value divided by peer
    note: str = ""

    @property
    def ratio(self) -> float | None:
        return self.value / self.peer if self.peer else None

    @property
    def is_met(self) -> bool:
        if self.ratio_target is not None:
            return self.ratio is not None and self.ratio >= self.ratio_target
        return self.value <= self.target if self.is_lower_better else self.value >= self.target


def middle(pairs: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Return the pair with the median ratio. Pairs are a peer's value and ours, measured in turns."""
    ordered = sorted(pairs, key=lambda pair: pair[1] / pair[0])
    return ordered[len(ordered) // 2]


def rows_print(rows: list[Row]) -> None:
    print(f"\n{'what':<44} {'measured':>16} {'target':>14} {'met':>4}  beside")
    for row in rows:
        goal = (
            f"{row.ratio_target:.0%} of peer"
            if row.ratio_target is not None
            else f"{_number(row.target)} {row.unit}"
        )
        beside = (
            f"{row.beside}: {_number(row.peer)} {row.unit}, ratio {row.ratio:.2f}"
            if row.ratio and row.peer
            else ""
        )
        extra = "; ".join(filter(None, [beside, row.note]))
        measured = f"{_number(row.value)} {row.unit}"
        print(f"{row.name:<44} {measured:>16} {goal:>14} {'yes' if row.is_met else 'NO':>4}  {extra}")


def rows_write(rows: list[Row], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    records = [{**asdict(row), "ratio": row.ratio, "is_met": row.is_met} for row in rows]
    path.write_text(json.dumps(records, indent=2) + "\n")


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.1f}"
